"""How gunicorn serves the pages: `gunicorn -c python:config.gunicorn config.wsgi`.

Threads, since a page waits mostly for the database, and since no page holds a stream open.
"""

import os
from pathlib import Path

from config import environment

bind = (
    f"{environment.text('HOST', '127.0.0.1')}:"
    f"{environment.whole_number('PORT', 8000, least=1, most=65535)}"
)
worker_class = "gthread"
workers = environment.whole_number("WEB_WORKERS", 1, least=1, most=64)
threads = environment.whole_number("WEB_THREADS", 8, least=1, most=256)
timeout = 60  # seconds without a sign of life, after which a worker is replaced
graceful_timeout = 5
keepalive = 5
control_socket_disable = True
# Addresses of pages hold references and words that people searched for: no access log here.
accesslog = None
errorlog = "-"
if Path("/dev/shm").is_dir() and os.access("/dev/shm", os.W_OK):
    worker_tmp_dir = "/dev/shm"  # the sign of life never waits for a disk
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "gunicorn.error": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "gunicorn.access": {"handlers": [], "level": "CRITICAL", "propagate": False},
    },
}
