# The sandbox as an image: what it runs on and nothing else. compose.yaml has it with PostgreSQL.
#   docker build -t countersign .
#   docker run -p 127.0.0.1:4010:4010 -e CONTROL_TOKEN=choose-one -v countersign:/app/data countersign

# The Node that everything here is tried with: the version of the dev dependency `node`.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build/main.ts

# The build has everything inside that it runs on, so there are no packages here.
FROM node:24.21.0-slim
WORKDIR /app
COPY package.json LICENSE ./
COPY cli/countersign.mjs ./cli/
COPY mocks/lifecycle.mjs ./mocks/
COPY --from=build /app/dist ./dist
# Compiles all modules once, so that a container need not.
ENV NODE_COMPILE_CACHE=/app/.compiled
RUN node cli/countersign.mjs start --help > /dev/null && node --eval "import('./dist/package/sandbox.js').then(({ createSandbox }) => createSandbox()).then((sandbox) => sandbox.close())" && mkdir data && chown node:node data
USER node
# A port of a container is open to others, so the sandbox asks for a CONTROL_TOKEN, and does not start without one.
# One arena, because the C library keeps freed memory of each, up to a hundred MB.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010 MALLOC_ARENA_MAX=1
EXPOSE 4010
# For the data file; with DATABASE nothing is kept here.
VOLUME /app/data
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/__sandbox/health`, { headers: { authorization: `Bearer ${process.env.CONTROL_TOKEN}` } }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so a signal to stop reaches it; flags go behind the image's name.
ENTRYPOINT ["node", "--max-semi-space-size=4", "cli/countersign.mjs", "start"]
