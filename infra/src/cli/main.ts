import { Command } from 'commander';
import { addListen } from './listen.js';
import { addPublish } from './publish.js';
import { addStart } from './start.js';
import { addToken } from './token.js';

const program = new Command('roomwire')
  .description('Real-time publish/subscribe: a REST control API, WebSocket rooms and customer webhooks.')
  .version('0.1.0')
  .showHelpAfterError();

addStart(program);
addListen(program);
addPublish(program);
addToken(program);

await program.parseAsync();
