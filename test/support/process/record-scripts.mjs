// Preloaded into a process under test: writes down the files of JavaScript that it loads.
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { env } from 'node:process';

const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (url !== '' && !url.startsWith('node:')) appendFileSync(env.RECORD_SCRIPTS_TO, `${url}\n`);
});
session.post('Debugger.enable');
