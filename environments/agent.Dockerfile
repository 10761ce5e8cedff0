# karmada-agent of karmadalab as an image, for pull members whose agent is a pod:
#   docker build -t karmadalab-agent:0.1.0 -f environments/agent.Dockerfile .
FROM python:3.13-slim
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY karmadalab karmadalab
RUN pip install --no-cache-dir --disable-pip-version-check -c requirements.lock '.[kind]' && rm -rf /src
WORKDIR /
ENV PYTHONUNBUFFERED=1
USER 65532:65532
ENTRYPOINT ["python", "-m", "karmadalab", "agent"]
