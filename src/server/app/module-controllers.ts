import type { DynamicModule, ModuleMetadata, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import type { Plugin } from '../../platform/common/extension/plugin.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';

/** Returns the controllers of modules, without those that the modules import. */
export function controllersIn(modules: readonly AnyModule[]): Type[] {
  return modules.flatMap((module) => [
    ...('controllers' in module ? (module.controllers ?? []) : []),
    ...metadataOf<Type>(module, MODULE_METADATA.CONTROLLERS),
  ]);
}

export type AnyModule = Type | DynamicModule;

/** Returns the modules of plugins, and those that they import. @throws OperatorError for one that is loaded later */
export function modulesOfPlugins(plugins: readonly Plugin[]): AnyModule[] {
  const found = new Set<AnyModule>();
  const add = (module: ImportedModule, title: string): void => {
    if (module instanceof Promise) {
      throw new OperatorError(
        `The ${title} imports a module by a promise, so that its routes are not known at the start; await it before.`,
      );
    }
    const known = 'forwardRef' in module ? (module as Forward).forwardRef() : module;
    if (found.has(known)) return;
    found.add(known);
    const own = 'imports' in known ? (known.imports ?? []) : [];
    for (const one of [...own, ...metadataOf<ImportedModule>(known, MODULE_METADATA.IMPORTS)]) {
      add(one, title);
    }
  };
  for (const { definition, title } of plugins) {
    for (const module of definition.modules ?? []) add(module, title);
  }
  return [...found];
}

interface Forward {
  forwardRef: () => AnyModule;
}

type ImportedModule = NonNullable<ModuleMetadata['imports']>[number];

function metadataOf<T>(module: AnyModule, key: string): T[] {
  return (Reflect.getMetadata(key, classOf(module)) ?? []) as T[];
}

/** Returns the class of a module. */
export function classOf(module: Type | DynamicModule): Type {
  return 'module' in module ? module.module : module;
}
