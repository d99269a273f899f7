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
import { OperatorError } from './operator-error.ts';

/** A class that an application can give an implementation of its own for. */
type PortToken = Abstract<unknown>;

/** An application's own implementation: `{ provide: RateLimitStore, useClass: MyStore }`. */
export type PortProvider = ClassProvider | ExistingProvider | FactoryProvider | ValueProvider;

/** The ports of one extension. */
export interface ExtensionPorts {
  /** The name of the extension, such as `plugin seats`. */
  extension: string;
  ports: readonly PortProvider[];
}

/** An implementation of a port, and whose it is. */
export interface Given<T> {
  extension: Extension;
  implementation: T;
}

interface Port {
  /** Injection token of what extensions give for it: a list of `Given`. */
  given: symbol;
  takesMany: boolean;
}

const known = new Map<PortToken, Port>();

/**
 * Provides a port: what an extension has given for it, else the standard implementation.
 * @param contain lets nothing that the implementation does take more than its own call; it is given what the
 *   standard one is made of, too
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

/** Provides what `make` makes of all that extensions have given for a port, in their order; of none by default. */
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

/** Hands what extensions have given for ports to the modules that provide them. */
@Module({})
export class PortsModule {
  /** @throws OperatorError if something is provided that is no port, or a port by two that takes one */
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

/** Each under a token of its own, and all of them under `provide`. */
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
    `${given} is no port of the user group service; it has ${names}. The ${extension} gives it.`,
  );
}

function refuseSecond({ name }: PortToken, first: string, second: string): never {
  const who =
    first === second
      ? `The ${first} replaces twice`
      : `The ${first} and the ${second} both replace`;
  throw new OperatorError(`${who} ${name}; one must go.`);
}
