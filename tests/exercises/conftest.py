import pytest


@pytest.fixture(autouse=True)
def own_progress_file(tmp_path, monkeypatch):
    """No test touches the progress of whoever runs it."""
    monkeypatch.setenv("COURSE_DATA_HOME", str(tmp_path / "progress"))
    monkeypatch.delenv("COURSE_LANG", raising=False)
