# What .ci/run and .ci/full are made of. Whoever sources it stands at the top of a clone; the last line is `N passed, N failed`.
passed=0
failed=0

finish() { # exit code
  echo "$passed passed, $failed failed"
  exit "$1"
}

step() {
  echo "== $*"
  local from=$SECONDS
  if ! "$@"; then
    echo "failed: $*"
    failed=$((failed + 1))
    finish 1
  fi
  echo "== $((SECONDS - from)) s: $*"
}

# What the summaries of pytest say, `1 failed, 149 passed in 34.72s`, added up.
of_pytest() { # passed or failed, file
  grep -E '^(=+ )?[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s' "$2" | grep -oE "[0-9]+ $1" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Runs a test command, adds up what mocha or pytest says of it.
tests() {
  local output status count from=$SECONDS
  output=$(mktemp)
  echo "== $*"
  # A failed test may leave something open that keeps its process: it must not keep this one.
  timeout --kill-after=30s 60m "$@" 2>&1 | tee "$output"
  status=$?
  count=$(sed -nE 's/^ +([0-9]+) passing.*/\1/p' "$output" | tail -n 1)
  count=$((${count:-0} + $(of_pytest passed "$output")))
  passed=$((passed + ${count:-0}))
  if [ "${count:-0}" -eq 0 ] && [ "$status" -eq 0 ]; then
    echo "failed: $* ran no test"
    status=1
  fi
  count=$(sed -nE 's/^ +([0-9]+) failing.*/\1/p' "$output" | tail -n 1)
  count=$((${count:-0} + $(of_pytest failed "$output")))
  failed=$((failed + ${count:-0}))
  rm -f "$output"
  echo "== $((SECONDS - from)) s: $*"
  [ "$status" -eq 0 ] && return
  [ "${count:-0}" -gt 0 ] || failed=$((failed + 1))
  finish 1
}

# Debian packages of what is not there yet: the engines run on Java and Go, schemathesis in a Python environment, kcat asks
# Kafka, the example is used in a browser, the guides are in several languages, and nginx and HAProxy stand before gateways.
install_missing() {
  local missing=()
  command -v java >/dev/null || missing+=(openjdk-17-jre-headless)
  command -v mvn >/dev/null || missing+=(maven)
  command -v go >/dev/null || missing+=(golang-go)
  command -v kcat >/dev/null || missing+=(kcat)
  command -v openssl >/dev/null || missing+=(openssl)
  command -v chromium >/dev/null || missing+=(chromium)
  command -v curl >/dev/null || missing+=(curl)
  command -v php >/dev/null || missing+=(php-cli)
  # They are in a folder that not everybody's path has.
  [ -x /usr/sbin/nginx ] || missing+=(nginx)
  [ -x /usr/sbin/haproxy ] || missing+=(haproxy)
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
  [ ${#missing[@]} -eq 0 ] && return
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

prepare() {
  step install_missing
  step npm ci --ignore-scripts --no-fund --no-audit
  step npm run lint
  step npm run build
}
