import type { INestApplication } from '@nestjs/common';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type Access, accessOf } from '../../../src/platform/common/access/access.decorator.ts';

/** A method of a controller that has a route. */
export interface RoutedHandler {
  method: string;
  /** The path that the controller declares, such as `/api/v1/user-groups/:id`. */
  path: string;
  controller: string;
  name: string;
  access: Access;
}

/** Every handler of the running application, as Nest knows it. */
export function handlersOf(app: INestApplication): RoutedHandler[] {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  return discovery.getControllers().flatMap(({ instance, metatype }) => {
    const prototype = Object.getPrototypeOf(instance) as object;
    const base = Reflect.getMetadata(PATH_METADATA, metatype!) as string;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
      const handler = (prototype as Record<string, object>)[name]!;
      const path = Reflect.getMetadata(PATH_METADATA, handler) as string | undefined;
      if (path === undefined) return [];
      return {
        method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number]!,
        path: `/${base}/${path}`.replace(/\/+$/, ''),
        controller: metatype!.name,
        name,
        access: accessOf(handler),
      };
    });
  });
}
