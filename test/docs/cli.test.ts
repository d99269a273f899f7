import { documentedCommands } from './render-cli.ts';

test('every command has a description and one example, whose arguments it takes', async () => {
  const commands = await documentedCommands();
  expect(commands.length).toBeGreaterThan(40);
  for (const { command, path, example } of commands) {
    expect(command.description()).toMatch(/^[a-z].+[^.]$/);
    expect(example.split(' ').slice(0, path.length + 1)).toEqual(['user-group-service', ...path]);
    const [line = ''] = example.split(/ [<>] /);
    const args = wordsOf(line).slice(path.length + 1);
    const { operands, unknown } = command.parseOptions(args);
    expect([path, unknown]).toEqual([path, []]);
    const { registeredArguments: taken, options } = command;
    expect(operands.length).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
    expect(operands.length).toBeLessThanOrEqual(taken.length);
    for (const option of options.filter(({ mandatory }) => mandatory)) {
      expect(command.opts()).toHaveProperty(option.attributeName());
    }
  }
});

/** The words of a command of a shell, in which single quotes hold words together. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!);
}
