/**
 * Lets a parameter decorator describe its parameter in the OpenAPI document, by decorators that
 * stand on methods.
 */
export function documentParameter(...decorators: MethodDecorator[]): ParameterDecorator {
  return (target, method) => {
    if (method === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, method);
    if (!descriptor) return;
    for (const decorate of decorators) decorate(target, method, descriptor);
  };
}
