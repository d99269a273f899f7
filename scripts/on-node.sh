#!/usr/bin/env bash
# Tests on other versions of Node than the one at hand: the contract, HTTP, processes with their
# signals, and that no acknowledged write is lost. Each version gets a copy of what git knows, of
# `dist` and of the installed packages, with a SQLite driver that is compiled for it. The driver
# stays in the user's cache for the next run.
#
#   scripts/on-node.sh 22 24 26
#
# Node itself comes as npm's package of it, for Linux. TEST_DATABASE_URL adds PostgreSQL to the last of
# them: its driver is plain JavaScript, while that of the embedded database is compiled for each.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(
  test/contract test/user-group/{create-or-look-up,put,rotate-token} test/embed-token/issue test/http
  test/process/{start,shutdown,early-signals,logs-and-metrics}
)

# On the embedded database alone: each of these starts processes by the dozen.
commands=(test/process/{cli,group-commands,registry-commands})

directory=$(mktemp -d "${TMPDIR:-/tmp}/user-groups-on-node-XXXXXX")
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$directory"' EXIT
arch=$(node -p process.arch)
drivers=${XDG_CACHE_HOME:-$HOME/.cache}/user-group-service/drivers
mkdir -p "$drivers"
node scripts/ensure-built.mjs

# Under $directory/$1: the version in `node`, and in `project` a copy with a driver for it.
prepare() {
  local version=$1
  mkdir -p "$directory/$version/node" "$directory/$version/project"
  cd "$directory/$version/node"
  tar -xzf "$(npm pack --silent "node-linux-$arch@$version" | tail -n 1)" --strip-components=1
  # As in the image: the Dockerfile says why.
  sed -i -E "$(sed -nE "s/^RUN sed -i -E '(.+)' .*node_object_wrap\.h$/\1/p" "$OLDPWD/Dockerfile")" \
    include/node/node_object_wrap.h
  cd "$OLDPWD"
  # With their times, so that `dist` is not older than what it is made from.
  git ls-files -z --cached --others --exclude-standard |
    xargs -0 cp --parents --preserve=timestamps --target-directory="$directory/$version/project"
  # Nothing writes into packages but the compiler, into a directory that is taken out first.
  cp -a --link node_modules dist "$directory/$version/project" 2>/dev/null ||
    cp -a node_modules dist "$directory/$version/project"
  cd "$directory/$version/project"
  rm -rf node_modules/better-sqlite3/build
  export PATH="$directory/$version/node/bin:$PATH"
  local driver built=node_modules/better-sqlite3/build/Release/better_sqlite3.node
  driver=$drivers/$(node -p '`${require("better-sqlite3/package.json").version}-${process.arch}-${process.versions.modules}.node`')
  if [ ! -f "$driver" ]; then
    npm_config_nodedir=$directory/$version/node npm rebuild --silent --build-from-source better-sqlite3
    # Another run may do the same.
    cp "$built" "$driver.$$" && mv "$driver.$$" "$driver"
  fi
  mkdir -p "$(dirname "$built")"
  cp "$driver" "$built"
}

declare -A preparing
for version in "$@"; do
  prepare "$version" >"$directory/$version.log" 2>&1 &
  preparing[$version]=$!
done
for version in "$@"; do
  if ! wait "${preparing[$version]}"; then
    cat "$directory/$version.log"
    exit 1
  fi
done
for version in "$@"; do
  (
    cd "$directory/$version/project"
    export PATH="$directory/$version/node/bin:$PATH"
    [ "$version" = "${!#}" ] || unset CI TEST_DATABASE_URL TEST_REDIS_URL
    printf '\n-- Node %s\n' "$(node --version)"
    node node_modules/jest/bin/jest.js "${tests[@]}"
    env -u CI -u TEST_DATABASE_URL -u TEST_REDIS_URL node node_modules/jest/bin/jest.js "${commands[@]}"
    node test/system/durability.mjs --kills 2
  )
done
