FROM node:26-bookworm-slim AS build
WORKDIR /app
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3
# From 24.19 on and in 26, node_object_wrap.h lets a native object remove a hook when it is collected,
# which ends the process if no JavaScript is running just then (nodejs/node#65446). Without the hook it
# is the class that it was before. That is why the SQLite driver is always compiled here.
RUN sed -i -E 's/^ +(Add|Remove)CleanupHook\(\);$//' /usr/local/include/node/node_object_wrap.h
COPY package.json package-lock.json ./
# The headers of Node are in the base image, so that compiling downloads nothing.
RUN npm_config_nodedir=/usr/local npm_config_build_from_source=true npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ormconfig.ts ./
COPY src ./src
COPY console ./console
# Of the client the console reads streams of events with it.
COPY clients/typescript/event-stream.ts ./clients/typescript/
# Optional packages are a compiler and a driver for another platform. What only a compiler or a
# debugger reads, and what the SQLite driver was compiled from, is a third of the rest.
RUN npm run build \
 && npm prune --omit=dev --omit=optional --no-audit --no-fund \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
 && find node_modules/better-sqlite3/build -type f ! -path '*/Release/better_sqlite3.node' -delete

# The Debian that the Node image is made of, with the one library that Node 26 takes from it, and without
# npm, yarn and the headers of Node: what is not there needs no updates.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libatomic1 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
COPY --from=build /usr/local/bin/node /usr/local/bin/node
RUN node --version \
 && install -d -m 700 -o 1000 -g 1000 /data \
 && printf '#!/bin/sh\nexec node /app/dist/src/cli.js "$@"\n' > /usr/local/bin/user-group-service \
 && chmod 755 /usr/local/bin/user-group-service
WORKDIR /app
COPY LICENSE ./
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist

# SQLite writes what does not fit into memory to SQLITE_TMPDIR: nothing else needs to be writable.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data \
    SQLITE_TMPDIR=/data
VOLUME /data
EXPOSE 3000 9464
# A number: Kubernetes cannot tell from a name that it is not root's.
USER 1000:1000

ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="user-group-service" \
      org.opencontainers.image.description="Self-hosted user groups and user-group tokens for embedded dashboards" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://repository.invalid/user-group-service" \
      org.opencontainers.image.documentation="https://repository.invalid/user-group-service#readme" \
      org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"

# Whether the process works, not whether its database does: who restarts unhealthy containers
# would restart every replica during an outage of the database, and mend nothing.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# The room for new objects does not follow the limit of memory: with 512 MiB V8 would give 1 MiB, with
# which look-ups are a fifth slower; without a limit 16, which are no faster than 8.
# One thread helps with collecting and compiling in place of four, each of which keeps memory. Old objects
# may take 1.6 times what was left of them before they are collected, in place of up to four times.
# Node is process 1: it takes the signals itself, and starts no process that it would have to reap.
# SIGUSR1 would open its debugger to whoever is in the container.
CMD ["node", "--disable-sigusr1", "--max-semi-space-size=8", "--v8-pool-size=1", "--heap-growing-percent=60", "/app/dist/src/main.js"]
