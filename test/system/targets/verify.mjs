import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

// Verifies tokens with the code of Cube and with the schema of Lightdash, and prints what they make of them. It runs in the
// directory in which both are installed.

const { secret, cube, lightdash } = JSON.parse(readFileSync(0, 'utf8'));
const load = createRequire(join(process.cwd(), 'package.json'));
const { ApiGateway } = load('@cubejs-backend/api-gateway');
const { EmbedJwtSchema } = load('@lightdash/common');
const jsonwebtoken = load('jsonwebtoken');

async function main() {
  const gateway = { apiSecret: secret, enforceSecurityChecks: true, logger: () => undefined };
  const check = ApiGateway.prototype.createDefaultCheckAuth.call(gateway, {
    algorithms: ['HS256'],
  });
  const contextOf = ApiGateway.prototype.createSecurityContextExtractor.call(gateway, {});
  const contexts = [];
  for (const token of cube) {
    const request = {};
    try {
      await check(request, token);
      contexts.push(contextOf(request));
    } catch (error) {
      contexts.push(error.status);
    }
  }
  const fits = lightdash.map((token) => {
    const claims = jsonwebtoken.verify(token, secret, { algorithms: ['HS256'] });
    return [
      EmbedJwtSchema.safeParse(claims).success,
      EmbedJwtSchema.strict().safeParse(claims).success,
    ];
  });
  process.stdout.write(JSON.stringify({ contexts, fits }));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
