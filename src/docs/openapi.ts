import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from '../app.module';
import { API_TOKEN_SCHEME } from '../common/access.decorator';
import { Config } from '../config/config';
import packageJson from '../../package.json';

const DESCRIPTION = `
Manages the user groups of a SaaS product and their tokens for embedded dashboards. The token tells an
embedded dashboard who is viewing; the group's \`mapping\` says which data source to query; its
\`properties\` become variables in dashboards and SQL.

Every answer has \`success\`: 1, or 0 with an RFC 9457 problem whose \`code\` is stable.`;

/** The OpenAPI 3.1 document of everything the application serves. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('User group service')
    .setDescription(DESCRIPTION.trim())
    .setVersion(packageJson.version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This server')
    .addTag('User groups', 'User groups and their tokens.')
    .addSecurity(API_TOKEN_SCHEME, {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The word `Token`, a space, the API token: `Token uga_…`.',
    });
  const base = builder.build();
  base.info.contact = { name: 'The operator of this service' };
  return SwaggerModule.createDocument(app, base);
}

/** The same document without a database: in preview nothing is instantiated. */
export async function describeOpenApi(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(AppModule.with(new Config()), {
    preview: true,
    logger: false,
  });
  return buildOpenApi(app);
}
