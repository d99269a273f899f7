import { Injectable } from '@nestjs/common';
import { CompactSign } from 'jose/jws/compact/sign';
import type { KeyObject } from 'node:crypto';
import { SigningKeys } from '../../../core/embed-token/signing/signing-keys.ts';
import {
  type OpenTarget,
  type TargetGrant,
  TargetTokens,
} from '../../../core/embed-token/target-tokens.ts';
import { issuerOf } from '../../../core/workspace/workspace-issuer.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { isJsonObject } from '../../../platform/common/json/strict-json.ts';
import { toPointer } from '../../../platform/common/json-pointer.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { Config } from '../../../platform/config/config.ts';
import { filledIn, referencesIn, refused, requireModest } from '../definition/claims.ts';
import type { TargetDefinition } from '../definition/target-definition.ts';
import { ofToken } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';
import { type StoredTarget, TargetRepository } from '../target.repository.ts';
import { readTargetKey } from './target-key.ts';
import { TargetSecretCipher } from './target-secret-cipher.ts';

interface Signer {
  alg: string;
  kid: string;
  key: KeyObject;
}

/** Makes the tokens of targets, from what one read of the target and one of the group have found. */
@Injectable()
export class TargetTokenIssuer extends TargetTokens {
  constructor(
    private readonly targets: TargetRepository,
    private readonly cipher: TargetSecretCipher,
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {
    super();
  }

  /** @throws TargetNotFound, TargetSecretUnreadable; `sign` ValidationFailed, TargetValueMissing, TargetValueRefused */
  override async open(workspaceId: number, name: string): Promise<OpenTarget> {
    const target = await this.targets.get({ workspaceId, name });
    const { definition } = target;
    const { signing, audience, max_seconds: maxSeconds } = definition;
    const own = signing && this.signerOf(target, signing);
    return {
      ...(own === null && audience !== null && { audience }),
      maxSeconds,
      action: 'target.issue',
      sign: async (grant, times) => {
        const claims = claimsOf(definition, grant);
        const { typ = 'JWT', hasIat } = kinds[definition.kind];
        const { alg, kid, key } = own ?? (await this.workspaceSigner(grant));
        const payload = {
          ...claims,
          ...(own === null && { iss: issuerOf(this.config, grant.group.workspace) }),
          ...(audience !== null && { aud: audience }),
          ...(hasIat && { iat: times.iat }),
          exp: times.exp,
        };
        requireModest(payload);
        const token = await new CompactSign(Buffer.from(JSON.stringify(payload)))
          .setProtectedHeader({ alg, typ, kid })
          .sign(key);
        return { token, kid };
      },
    };
  }

  /** @throws TargetSecretUnreadable */
  private signerOf(
    { workspaceId, name, ciphertext, keyId }: StoredTarget,
    { alg, keys }: NonNullable<TargetDefinition['signing']>,
  ): Signer {
    const sealed = { ciphertext: ciphertext!, keyId: keyId! };
    const secrets = this.cipher.decrypt(sealed, { workspaceId, name });
    const { id } = keys[0]!;
    return { alg, kid: id, key: readTargetKey(alg, secrets.get(id)!)! };
  }

  private async workspaceSigner({ group }: TargetGrant): Promise<Signer> {
    const { publicId } = group.workspace;
    const keys = await this.keys.of(publicId);
    this.keys.keep(publicId, keys);
    const [{ kid, privateKey: key }] = keys;
    return { alg: 'ES256', kid, key };
  }
}

/** @throws ValidationFailed, TargetValueMissing, TargetValueRefused */
function claimsOf(definition: TargetDefinition, grant: TargetGrant): JsonObject {
  const unused = unusedRestrictions(definition, grant);
  if (unused.length > 0) throw new ValidationFailed(unused);
  const rules = kinds[definition.kind];
  const claims = filledIn(definition.claims, grant, ['claims']) as JsonObject;
  const violations = rules.claims(ofToken)(claims, '/claims');
  if (violations.length > 0) throw refused(violations);
  const made = rules.make(claims, definition, grant);
  const namesActor = 'act' in made || referencesOf(definition).includes('acting_for');
  if (grant.actingFor === undefined || namesActor) return made;
  throw new ValidationFailed([
    { pointer: '/acting_for', code: 'not_acceptable', detail: UNNAMED_ACTOR },
  ]);
}

function referencesOf({ claims, row_filters: filters }: TargetDefinition): string[] {
  return [claims, ...filters.map(({ value }) => value)].flatMap(referencesIn);
}

/** Finds what a request restricts the token to, and the target would leave out, so that the token would show more. */
function unusedRestrictions(definition: TargetDefinition, grant: TargetGrant): Violation[] {
  const used = referencesOf(definition);
  const [one, ...others] = grant.resources ?? [];
  const isCopied =
    used.includes('resources') || (others.length === 0 && used.includes(`resource.${one?.type}`));
  const resources: Violation[] =
    !grant.resources || isCopied
      ? []
      : [{ pointer: '/resources', code: 'not_acceptable', detail: LEFT_OUT }];
  const variables = pathsOf(grant.variables ?? {}).filter((path) => {
    const name = ['variables', ...path].join('.');
    return !used.some((one) => one === name || name.startsWith(`${one}.`));
  });
  return [
    ...resources,
    ...variables.map((path): Violation => {
      const pointer = toPointer(['variables', ...path]);
      return { pointer, code: 'not_acceptable', detail: LEFT_OUT };
    }),
  ];
}

const UNNAMED_ACTOR =
  'The tokens of this target do not say who acts: let a claim copy acting_for, or leave it out.';
const LEFT_OUT =
  'The target does not copy this field into its tokens, so they would not be restricted to it.';

function pathsOf(variables: JsonObject): string[][] {
  return Object.entries(variables).flatMap(([name, value]) =>
    isJsonObject(value) ? pathsOf(value).map((path) => [name, ...path]) : [[name]],
  );
}
