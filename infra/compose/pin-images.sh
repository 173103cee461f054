#!/bin/sh
# Puts the digest behind the exact version of each image in infra/.env, so that what runs cannot change behind a tag:
#
#   infra/compose/pin-images.sh
#
# Run it again after a change of a version in infra/.env.
set -eu
env=$(dirname "$0")/../.env

grep -E '^[A-Z]+_IMAGE=' "$env" | while IFS='=' read -r name image; do
  tag=${image%@*}
  digest=$(docker buildx imagetools inspect "$tag" --format '{{.Manifest.Digest}}')
  sed -i.before "s|^$name=.*|$name=$tag@$digest|" "$env"
  rm "$env.before"
  echo "$tag@$digest"
done
