#!/bin/sh
# Fills in what the compose file needs, once: infra/.env with random secrets and passwords, and a certificate for each
# engine in infra/compose/certificates, signed by an authority of this installation's own, whose key is not kept.
#
#   infra/compose/make-secrets.sh
#
# What is there already stays as it is. The containers run as different users, so that the keys of the engines can be read
# by every user of this machine: it should be a machine of one's own.
set -eu
cd "$(dirname "$0")"
umask 077

random() { openssl rand -base64 32; }
# Without characters that mean something in a URL.
password() { openssl rand -hex 24; }

hmac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
# HKDF-SHA-256 of the master key, without a salt, 32 bytes: as `roomwire keys derive` does it.
derived() {
  pseudorandom=$(printf %s "$master" | openssl base64 -d -A | hmac 00 | hex)
  printf '%s\001' "$1" | hmac "$pseudorandom" | openssl base64 -A
}

if [ ! -e ../.env ]; then
  master=$(random)
  while IFS= read -r line; do
    case $line in
      *_PASSWORD=) printf '%s%s\n' "$line" "$(password)" ;;
      ROOMWIRE_MASTER_KEY=) printf '%s%s\n' "$line" "$master" ;;
      ROOMWIRE_GATEWAY_KEY=) printf '%s%s\n' "$line" "$(derived 'roomwire signing keys')" ;;
      ROOMWIRE_WEBHOOK_KEY=) printf '%s%s\n' "$line" "$(derived 'roomwire webhook secrets')" ;;
      ROOMWIRE_AUDIT_KEY=) printf '%s%s\n' "$line" "$(derived 'roomwire audit')" ;;
      ROOMWIRE_SESSION_SECRET=) printf '%s%s\n' "$line" "$(random)" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <../.env.example >../.env
fi

[ -e certificates ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made=$work/certificates
mkdir "$made" "$made/authority"

days=3650
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days -subj '/CN=Roomwire compose' \
  -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout "$work/authority.key" -out "$made/authority/ca.pem" 2>/dev/null

# The name of the service, and the common name: EventStoreDB knows its own nodes by it.
certify() {
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$2" -keyout "$work/$1.key" -out "$work/$1.csr" 2>/dev/null
  {
    echo "subjectAltName=DNS:$1,DNS:localhost,IP:127.0.0.1"
    echo 'extendedKeyUsage=serverAuth,clientAuth'
  } >"$work/$1.ext"
  openssl x509 -req -days $days -in "$work/$1.csr" -CA "$made/authority/ca.pem" -CAkey "$work/authority.key" \
    -CAserial "$work/serial" -CAcreateserial -extfile "$work/$1.ext" -out "$work/$1.crt" 2>/dev/null
}

certify eventstore eventstoredb-node
cp "$work/eventstore.key" "$work/eventstore.crt" "$made"
certify mongodb mongodb
certify kafka kafka
# Both take key and certificate in one file.
for engine in mongodb kafka; do cat "$work/$engine.key" "$work/$engine.crt" >"$made/$engine.pem"; done
chmod -R a+rX "$made"
mv "$made" certificates
