import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { type Deployment, type Deployments, keptOpen, type ServerAction } from './deployment.js';
import { type Environment, Program } from './program.js';
import { Rest } from './rest.js';
import { Shared } from './shared.js';

/** `roomwire start` on a folder of its own: one process, which is every gateway. */
const startOnFiles = async (settings: Environment): Promise<Deployment> => {
  const folder = await temporaryFolder();
  const program = new Program(['start'], { ...settings, ROOMWIRE_DATA_DIR: folder.path });
  await program.start();
  const credentials = JSON.parse(await readFile(join(folder.path, 'credentials.json'), 'utf8')) as {
    readonly apiKey: string;
    readonly sessionToken: string;
    readonly organizationId: string;
  };
  const port = (): number => program.port;
  return {
    rest: new Rest(port, credentials.apiKey),
    operator: { ...credentials, rest: new Rest(port, credentials.sessionToken) },
    portOf: port,
    act: (action) => act(program, action),
    async close() {
      await program.end('SIGKILL');
      await folder.remove();
    },
  };
};

export const act = async (program: Program, action: ServerAction): Promise<void> => {
  switch (action) {
    case 'stop':
      return program.end('SIGTERM');
    case 'kill':
      return program.end('SIGKILL');
    case 'start':
      return program.start();
    case 'pause':
      return program.pause();
    case 'resume':
      return program.resume();
  }
};

/** Services on files; those that are shared are started when they are first wanted. */
export const onFiles = (): Deployments => {
  const shared = new Shared<Deployment>();
  return {
    take: async (settings, isOwn) =>
      isOwn
        ? startOnFiles(settings)
        : keptOpen(await shared.get(JSON.stringify(settings), () => startOnFiles(settings))),
    close: () => shared.close(),
  };
};
