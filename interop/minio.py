"""A MinIO server of its own, with one bucket."""

import contextlib
import os
import re
import subprocess
import sys

BUCKET = "interop"


@contextlib.contextmanager
def minio(binary, folder):
    """Start a server on a free port, put its credentials where AWS programs
    look for them, yield its endpoint, and stop it."""
    os.environ.update(AWS_ACCESS_KEY_ID="interop", AWS_SECRET_ACCESS_KEY="interop-secret", AWS_REGION="us-east-1")
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE"):
        os.environ.pop(name, None)
    (folder / BUCKET).mkdir(parents=True)  # a folder in its folder is a bucket
    env = dict(os.environ, MINIO_ROOT_USER="interop", MINIO_ROOT_PASSWORD="interop-secret",
               MINIO_BROWSER="off", MINIO_UPDATE="off")
    server = subprocess.Popen([binary, "server", "--address", "127.0.0.1:0", folder],
                              env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield endpoint(server)
    finally:
        server.terminate()
        server.communicate()


def endpoint(server):
    said = []
    for line in server.stdout:
        said.append(line)
        if found := re.search(r"API: (http://127\.0\.0\.1:\d+)", line):
            return found.group(1)
    sys.exit("interop: MinIO did not start:\n" + "".join(said))
