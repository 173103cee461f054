import { Command } from 'commander';
import { addAnalytics } from './analytics.js';
import { addAudit } from './audit.js';
import { addBackup } from './backup.js';
import { addDoctor } from './doctor.js';
import { exitCodes } from './fail.js';
import { addKeys } from './keys.js';
import { addListen } from './listen.js';
import { addPublish } from './publish.js';
import { addRebuild } from './rebuild.js';
import { addServices } from './services.js';
import { addStart } from './start.js';
import { addToken } from './token.js';
import { addWebhooks } from './webhooks.js';
import { version } from '../version.js';

const program = new Command('roomwire')
  .description('Real-time publish/subscribe: a REST control API, WebSocket rooms and customer webhooks.')
  .version(version)
  .showHelpAfterError()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.misused));

// Whoever reads the output may stop doing so, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

addStart(program);
addServices(program);
addRebuild(program);
addListen(program);
addPublish(program);
addToken(program);
addKeys(program);
addAudit(program);
addWebhooks(program);
addBackup(program);
addDoctor(program);
addAnalytics(program);

await program.parseAsync();
