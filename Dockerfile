# One image; compose.yaml says which part of Longcase a container runs.
FROM python:3.13-slim AS build
WORKDIR /opt/longcase
RUN python -m venv .venv
COPY requirements/production.txt requirements/
RUN .venv/bin/pip install --no-cache-dir --disable-pip-version-check \
      --require-hashes --only-binary :all: -r requirements/production.txt
COPY . .
# Static files belong to the image; the values below serve this one command.
RUN LONGCASE_SECRET_KEY=for-the-build-alone LONGCASE_STATIC_DIR=/opt/longcase/static-collected \
      DATABASE_URL=postgresql://nobody@localhost/none \
      .venv/bin/python manage.py collectstatic --ignore rest_framework --no-input --verbosity 0

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /opt/longcase longcase \
 && install -d -o longcase -g longcase /var/lib/longcase
WORKDIR /opt/longcase
COPY --from=build /opt/longcase /opt/longcase
ENV PATH=/opt/longcase/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    LONGCASE_STATIC_DIR=/opt/longcase/static-collected \
    LONGCASE_DATA_DIR=/var/lib/longcase
USER longcase
VOLUME /var/lib/longcase
EXPOSE 8000
STOPSIGNAL SIGTERM
CMD ["python", "-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi"]
