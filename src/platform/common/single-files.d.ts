// Files of packages that are imported singly: the index of the package would load hundreds of others at each
// start, for class-validator the telephone numbers of every country among them.

declare module 'class-validator/cjs/metadata/MetadataStorage.js' {
  export { getMetadataStorage } from 'class-validator';
}

declare module 'class-validator/cjs/register-decorator.js' {
  export { registerDecorator } from 'class-validator';
}

declare module 'class-validator/cjs/validation/Validator.js' {
  export { Validator } from 'class-validator';
}
