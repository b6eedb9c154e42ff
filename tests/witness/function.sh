#!/bin/sh
# Start a function as Lambda does: all of its layers are merged at /opt, which only this process sees.
exec env -u AWS_ENDPOINT_URL unshare --map-root-user --mount /bin/sh -c '
mkdir ../opt
for layer in $(echo "$_LAMBDA_LAYERS_DIRS" | tr : " "); do cp -al "$layer/." ../opt/; done
mount --bind ../opt /opt
exec "$WITNESS_PYTHON" "$@"
' function "$@"
