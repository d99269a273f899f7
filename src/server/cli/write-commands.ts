import { writeCommands } from './list-commands.ts';

// The last step of a compilation.
await writeCommands();
