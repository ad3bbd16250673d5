#!/bin/sh
# Pin each image of .env to the digest that its tag has now: IMAGE:TAG becomes IMAGE:TAG@sha256:...
# Run it again to take newer images. It needs Docker with buildx, and the registries.
set -eu
cd "$(dirname "$0")"
sed -n 's/^[A-Z]*_IMAGE=\([^@]*\).*/\1/p' .env | while read -r image; do
    digest=$(docker buildx imagetools inspect --format '{{println .Manifest.Digest}}' "$image")
    case $digest in
    sha256:*) sed -i "s|=$image\(@.*\)*\$|=$image@$digest|" .env ;;
    *) echo "pin: $image: no digest" >&2 && exit 1 ;;
    esac
done
