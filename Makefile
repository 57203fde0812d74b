# 어텐션에서 BERT까지 / From Attention to BERT. `make` alone lists what there is.
#
#   make lab PYTHON=python3.12          another interpreter (3.11 or newer)
#   make lab LECTURE=1                  all in large, for a projector
#   make lab TORCH_INDEX_URL=...        the CPU build of torch; the address is on pytorch.org's install page
#   make lab SSL_CERT_FILE=...          the certificate of a proxy that reads along, as in some schools and companies

SHELL := bash
PY := .venv/bin/python
export PYTHON TORCH_INDEX_URL

.DEFAULT_GOAL := help
.PHONY: help venv lab update fresh test test-all check notebooks bench lint mutants lowest pictures slides clean
.PHONY: checks tests browser strict faults

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

venv:  ## 가상 환경(.venv)을 준비합니다 / prepare .venv (the others do it by themselves)
	@bash deploy/make_venv.sh

lab: venv  ## JupyterLab에서 강의를 엽니다 / open the course in JupyterLab
	@echo "JupyterLab을 엽니다. 끝내려면 Ctrl-C / opening JupyterLab, Ctrl-C ends it …"
	@COURSE_LECTURE=$(LECTURE) exec $(PY) -m jupyterlab --config=etc/jupyter_lab_config.py

update: venv  ## 강의를 새 판으로 바꿉니다. 바꾼 노트북은 따로 모아 둡니다 / fetch the newest version, keeping your work
	@$(PY) deploy/update.py

fresh: venv  ## 노트북 하나를 처음 받은 대로 되돌립니다: make fresh NOTEBOOK=02 / a notebook as it was, yours is kept
	@$(PY) -m deploy.fresh $(NOTEBOOK)

test: venv  ## 바꿀 때마다 하는 검사 / the checks of every change: ruff, pytest, strict nbval, browser
	@$(MAKE) --no-print-directory checks

test-all: venv  ## 느리고 드문 검사까지 / the slow and rare checks, too (once a week)
	@COURSE_PICTURES=1 $(MAKE) --no-print-directory KINDS= checks faults
	@$(PY) -m benchmarks memory busy

check: venv lint  ## 바꾼 것의 검사만, 1분 안에 / lint and the tests of what changed, under a minute
	@files="$$($(PY) -m dev.changed_tests)"; [ -n "$$files" ] || echo "no test is about what changed"; \
	[ -z "$$files" ] || $(ALONE) $(PYTEST) -n 2 --dist loadfile -m "not rare and not slow" $$files
	@widgets="$$($(PY) -m dev.changed_tests --widgets)"; [ -z "$$widgets" ] || \
	{ $(PY) -m dev.browser_tools >/dev/null && $(ALONE) $(PYTEST) tests/browser -k "$$widgets"; }

notebooks: venv  ## 노트북을 실행해 출력을 저장합니다 / execute the notebooks in place and save their outputs
	@$(PY) dev/run_notebooks.py

bench: venv  ## 다른 구현과 빠르기를 견줍니다 / speed against other implementations
	@$(PY) -m benchmarks

lint: venv  ## 코드 모양 검사 / ruff, and biome for JavaScript
	@$(PY) -m ruff check --quiet
	@$(PY) -m ruff format --check --quiet
	@$(PY) -m dev.check_javascript

mutants: venv  ## 일부러 넣은 잘못을 검사가 알아채는지 봅니다 / are deliberate faults noticed?
	@$(PY) -m dev.mutants

lowest: venv  ## 허용하는 가장 낮은 버전으로 노트북을 실행합니다 / run the notebooks on the lowest versions allowed
	@$(PY) -m dev.lowest $(NOTEBOOK)

slides: venv  ## 강의용 슬라이드를 build/slides에 만듭니다: make slides NOTEBOOK=02 / slides, one page a notebook, offline
	@$(PY) -m dev.slides $(NOTEBOOK)

pictures: venv  ## 위젯의 사진을 노트북과 README에 / photograph the widgets, for the notebooks and the READMEs
	@$(PY) -m dev.pictures

clean:  ## .venv와 임시 파일을 지웁니다 / remove .venv and caches
	@echo ".venv와 임시 파일을 지웁니다 / removing .venv and caches …"
	@if [ -L .venv ] || ! ls .venv/.course-* >/dev/null 2>&1; \
	then [ ! -e .venv ] || echo ".venv는 이 강의가 만든 것이 아니어서 남깁니다 / .venv was not made by this course: it stays"; \
	else rm -rf .venv; fi
	@rm -rf .venv.lock .pytest_cache .ruff_cache .hypothesis build/figures build/lowest build/slides course_utils.egg-info tests/browser/screenshots
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- What `make test` does: pytest does it, make puts it side by side -----------------------------------------------

KINDS ?= not rare
# One thread a process: two with two threads each would wait for one another on two cores.
ALONE = env -u COURSE_LANG -u PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED=1 OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1}
# What computes gives way to the browser beside it, where a person would be waiting.
ASIDE = $(ALONE) nice
PYTEST = $(PY) -m pytest -q --durations=10
# Each line begins with the name of the check that says it.
TOLD = 2>&1 | while IFS= read -r line || [ -n "$$line" ]; do printf '%-8s %s\n' $@ "$$line"; done
# What takes longest first, so that none keeps all waiting at the end.
FIRST = $(foreach number,16 17 13 07 08 12,$(wildcard notebooks/ko/$(number)_*.ipynb))
NOTEBOOKS = $(FIRST) $(filter-out $(FIRST),$(wildcard notebooks/ko/*.ipynb))

checks: lint
	@left_out="$$($(PY) -m dev.browser_tools)" && $(MAKE) --no-print-directory -j2 tests strict && \
	echo "✓ passed $${left_out:-every check}" || { echo "✗ failed: what is wrong stands above"; exit 1; }

tests:
	@set -o pipefail; $(ASIDE) $(PYTEST) -m "$(KINDS)" tests --ignore=tests/browser $(TOLD)

browser:  # of what is rare there is so much that it takes two
	@set -o pipefail; $(ALONE) $(PYTEST) -m "$(KINDS)" $(if $(KINDS),,-n 2 --dist worksteal) tests/browser $(TOLD)

strict: | browser  # each notebook under strict nbval, two at a time, then its budget
	@set -o pipefail; { $(ASIDE) $(PY) -m dev.without_network $(PYTEST) -n 2 --dist loadfile --no-loadscope-reorder \
	-p dev.strict_nbval -p dev.warm_kernels $(NOTEBOOKS) && $(PY) dev/notebook_budget.py; } $(TOLD)

faults:  # of the random ones some survive: they are for a person to read
	@$(PY) -m dev.mutants && { $(PY) -m dev.mutants --random 60 || [ $$? -eq 1 ]; }
