/**
 * What the service is compared with from the other side: the same operations as the tutorials of
 * Nest and TypeORM write them. A guard that asks for the API token, a ValidationPipe, repositories
 * with relations, `save`. It keeps no hash, no audit log, no mapping, and takes no care of races.
 */
import 'reflect-metadata';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  Post,
  Req,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { IsObject, IsOptional, IsString, Length } from 'class-validator';
import type { Request } from 'express';
import { createHash, randomBytes } from 'node:crypto';
import { Repository } from 'typeorm';
import { ApiToken, UserGroup, UserGroupToken } from './entities.ts';

const { PORT, DATABASE_URL, BOOTSTRAP_API_TOKEN } = process.env;

type AuthenticatedRequest = Request & { apiToken: ApiToken };

class UserGroupInput {
  @IsString()
  @Length(1, 255)
  user_group_id!: string;

  @IsString()
  @Length(1, 255)
  name!: string;

  @IsOptional()
  @IsObject()
  properties?: Record<string, unknown>;
}

class RotateDto {
  @IsString()
  current_token!: string;
}

class IntrospectionRequest {
  @IsString()
  token!: string;
}

@Injectable()
class ApiTokenGuard implements CanActivate {
  constructor(@InjectRepository(ApiToken) private readonly apiTokens: Repository<ApiToken>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    if (scheme !== 'Token' || !token) throw new UnauthorizedException();
    const apiToken = await this.apiTokens.findOneBy({ hash: sha256(token) });
    if (!apiToken) throw new UnauthorizedException();
    request.apiToken = apiToken;
    return true;
  }
}

@Injectable()
class UserGroupService {
  constructor(
    @InjectRepository(UserGroup) private readonly userGroups: Repository<UserGroup>,
    @InjectRepository(UserGroupToken) private readonly tokens: Repository<UserGroupToken>,
  ) {}

  async createOrLookUp(apiToken: ApiToken, dto: UserGroupInput) {
    const { user_group_id: providedId, name, properties } = dto;
    const known = await this.userGroups.findOne({
      where: { apiToken: { id: apiToken.id }, providedId },
      relations: { tokens: true },
    });
    const group =
      known ?? this.userGroups.create({ apiToken, providedId, tokens: [{ value: newValue() }] });
    const isChanged = group.name !== name || properties !== undefined;
    if (isChanged) await this.userGroups.save(Object.assign(group, { name, properties }));
    return { success: 1, new_user_group: !known, user_group: toView(group, group.tokens[0]!) };
  }

  async rotate(apiToken: ApiToken, { current_token: value }: RotateDto) {
    const token = await this.find(apiToken, value);
    if (!token) throw new NotFoundException();
    token.value = newValue();
    await this.tokens.save(token);
    return { success: 1, user_group: toView(token.userGroup, token) };
  }

  async introspect(apiToken: ApiToken, { token: value }: IntrospectionRequest) {
    const token = await this.find(apiToken, value);
    if (!token) return { active: false };
    const { id, providedId, name, properties } = token.userGroup;
    return {
      active: true,
      sub: providedId,
      team_id: id,
      name,
      mapping: {},
      properties,
      token_type: 'user_group_token',
      iat: Math.floor(token.createdAt.getTime() / 1000),
    };
  }

  private find(apiToken: ApiToken, value: string): Promise<UserGroupToken | null> {
    return this.tokens.findOne({
      where: { value, userGroup: { apiToken: { id: apiToken.id } } },
      relations: { userGroup: true },
    });
  }
}

@Controller('api')
@UseGuards(ApiTokenGuard)
class UserGroupController {
  constructor(private readonly userGroups: UserGroupService) {}

  @Get('user')
  createOrLookUp(@Req() { apiToken }: AuthenticatedRequest, @Body() dto: UserGroupInput) {
    return this.userGroups.createOrLookUp(apiToken, dto);
  }

  @Post('user')
  @HttpCode(200)
  rotate(@Req() { apiToken }: AuthenticatedRequest, @Body() dto: RotateDto) {
    return this.userGroups.rotate(apiToken, dto);
  }

  @Post('v1/introspect')
  @HttpCode(200)
  introspect(@Req() { apiToken }: AuthenticatedRequest, @Body() dto: IntrospectionRequest) {
    return this.userGroups.introspect(apiToken, dto);
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: DATABASE_URL,
      autoLoadEntities: true,
      synchronize: true,
    }),
    TypeOrmModule.forFeature([ApiToken, UserGroup, UserGroupToken]),
  ],
  controllers: [UserGroupController],
  providers: [ApiTokenGuard, UserGroupService],
})
class AppModule {
  constructor(@InjectRepository(ApiToken) private readonly apiTokens: Repository<ApiToken>) {}

  async onModuleInit(): Promise<void> {
    await this.apiTokens.save({ hash: sha256(BOOTSTRAP_API_TOKEN!) });
  }
}

function toView({ id, name, providedId }: UserGroup, token: UserGroupToken) {
  return { team_id: id, token: token.value, name, provided_id: providedId };
}

/** Of the form that the load expects. */
function newValue(): string {
  return `ugt_${randomBytes(19).toString('hex')}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: false });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen(Number(PORT), '127.0.0.1');
}

void main();
