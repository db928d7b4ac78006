"""Logs as lines of JSON, for machines to search and people to grep."""

import json
import logging
from datetime import UTC, datetime

# What every record carries; all else was given by `extra=` and is shown.
ORDINARY = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
# Objects that libraries attach: whole requests and tracebacks do not belong in a line.
NEVER_SHOWN = {"request", "data", "server_time"}


class JsonFormatter(logging.Formatter):
    """One line a record: when, how bad, who says it, what, and the ids given by `extra=`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        for name, value in vars(record).items():
            if name not in ORDINARY and name not in NEVER_SHOWN:
                line[name] = value
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)
