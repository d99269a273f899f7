import {
  type Abstract,
  type ClassProvider,
  type DynamicModule,
  type ExistingProvider,
  type FactoryProvider,
  Module,
  type Provider,
  type ValueProvider,
} from '@nestjs/common';
import { type Extension, Extensions } from './extensions.ts';
import { OperatorError } from '../problem/operator-error.ts';

/** An abstract class that an application can implement. */
type PortToken = Abstract<unknown>;

/** An application's own implementation: `{ provide: RateLimitStore, useClass: MyStore }`. */
export type PortProvider = ClassProvider | ExistingProvider | FactoryProvider | ValueProvider;

export interface ExtensionPorts {
  /** Such as `plugin seats`. */
  extension: string;
  ports: readonly PortProvider[];
}

/** An implementation of a port, and the extension that provides it. */
export interface Given<T> {
  extension: Extension;
  implementation: T;
}

interface Port {
  /** Injection token of the implementations by extensions: a list of `Given`. */
  given: symbol;
  takesMany: boolean;
}

const known = new Map<PortToken, Port>();

/**
 * Provides a port: the implementation of an extension, or else the standard one.
 * @param contain wraps an implementation so that its failures affect only the failing call; it also gets the
 *   dependencies of the standard one
 */
export function port<T>(
  token: Abstract<T>,
  standard: Pick<FactoryProvider<T>, 'inject' | 'useFactory'>,
  contain: (given: Given<T>, ...injected: never[]) => T,
): FactoryProvider<T> {
  const given = register(token, false);
  return {
    provide: token,
    inject: [{ token: given, optional: true }, ...(standard.inject ?? [])],
    useFactory: (found: Given<T>[] | undefined, ...args: unknown[]) =>
      found ? contain(found[0]!, ...(args as never[])) : standard.useFactory(...(args as never[])),
  };
}

/** Provides the result of `make` for all implementations by extensions, in their order; there are none by default. */
export function portOfMany<T, Made>(
  token: Abstract<T>,
  provide: Abstract<Made>,
  make: (given: readonly Given<T>[]) => Made,
): FactoryProvider<Made> {
  const given = register(token, true);
  return {
    provide,
    inject: [{ token: given, optional: true }],
    useFactory: (found: Given<T>[] | undefined) => make(found ?? []),
  };
}

function register(token: PortToken, takesMany: boolean): symbol {
  const given = Symbol(`implementations of ${token.name}`);
  known.set(token, { given, takesMany });
  return given;
}

/** Passes implementations by extensions to the modules that provide the ports. */
@Module({})
export class PortsModule {
  /** @throws OperatorError if a provider is not a port, or two provide a port that has one implementation */
  static with(
    given: readonly ExtensionPorts[],
    imports: DynamicModule['imports'] = [],
  ): DynamicModule {
    const byPort = new Map<PortToken, { extension: string; provider: PortProvider }[]>();
    for (const { extension, ports } of given) {
      for (const provider of ports) {
        const token = provider.provide as PortToken;
        byPort.set(token, [...(byPort.get(token) ?? []), { extension, provider }]);
      }
    }
    const providers = [...byPort].flatMap(([token, all]) => {
      const { given: provide, takesMany } = portOf(token, all[0]!.extension);
      if (all.length > 1 && !takesMany) refuseSecond(token, all[0]!.extension, all[1]!.extension);
      return together(provide, all);
    });
    return {
      module: PortsModule,
      global: true,
      imports,
      providers: [Extensions, ...providers],
      exports: [Extensions, ...providers.map(({ provide }) => provide)],
    };
  }
}

/** Provides each under a token of its own, and the list of them under `provide`. */
function together(
  provide: symbol,
  all: readonly { extension: string; provider: PortProvider }[],
): (Provider & { provide: PortProvider['provide'] })[] {
  const own = all.map(({ provider }) => ({ ...provider, provide: Symbol('implementation') }));
  return [
    ...own,
    {
      provide,
      inject: [Extensions, ...own.map(({ provide: token }) => token)],
      useFactory: (extensions: Extensions, ...implementations: unknown[]): Given<unknown>[] =>
        implementations.map((implementation, index) => ({
          extension: extensions.named(all[index]!.extension),
          implementation,
        })),
    },
  ];
}

function portOf(token: PortToken, extension: string): Port {
  const found = known.get(token);
  if (found !== undefined) return found;
  const names = [...known.keys()].map(({ name }) => name).join(', ');
  const given = typeof token === 'function' ? token.name : String(token);
  throw new OperatorError(
    `${given} of the ${extension} is not a replaceable provider. Replaceable: ${names}.`,
  );
}

function refuseSecond({ name }: PortToken, first: string, second: string): never {
  const who =
    first === second
      ? `The ${first} replaces twice`
      : `The ${first} and the ${second} both replace`;
  throw new OperatorError(`${who} ${name}; remove one.`);
}
