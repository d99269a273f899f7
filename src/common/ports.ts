import { type Abstract, type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { type ClassProvider, type ExistingProvider, type ValueProvider } from '@nestjs/common';

/** A class that an application can give an implementation of its own for. */
type PortToken = Abstract<unknown>;

/** An application's own implementation: `{ provide: RateLimitStore, useClass: MyStore }`. */
export type PortProvider = ClassProvider | ExistingProvider | FactoryProvider | ValueProvider;

const replacements = new Map<PortToken, symbol>();

/** Provides a port: what the application has given for it, else the standard implementation. */
export function port<T>(
  token: Abstract<T>,
  standard: Pick<FactoryProvider<T>, 'inject' | 'useFactory'>,
): FactoryProvider<T> {
  const replacement = Symbol(`replacement of ${token.name}`);
  replacements.set(token, replacement);
  return {
    provide: token,
    inject: [{ token: replacement, optional: true }, ...(standard.inject ?? [])],
    useFactory: (given: T | undefined, ...args: unknown[]) =>
      given ?? standard.useFactory(...(args as never[])),
  };
}

/** Hands what an application has given for ports to the modules that provide them. */
@Module({})
export class PortsModule {
  /** @throws Error if something is provided that is no port */
  static with(
    ports: readonly PortProvider[] = [],
    imports: DynamicModule['imports'] = [],
  ): DynamicModule {
    const providers = ports.map((provider) => ({
      ...provider,
      provide: replacementOf(provider.provide as PortToken),
    }));
    return {
      module: PortsModule,
      global: true,
      imports,
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}

function replacementOf(token: PortToken): symbol {
  const replacement = replacements.get(token);
  if (replacement !== undefined) return replacement;
  const known = [...replacements.keys()].map(({ name }) => name).join(', ');
  const given = typeof token === 'function' ? token.name : String(token);
  throw new Error(`${given} is no port of the user group service; it has ${known}.`);
}
