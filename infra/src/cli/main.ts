import { Command } from 'commander';
import { exitCodes } from './fail.js';
import { serviceNames } from '../services/service.js';
import { version } from '../version.js';

const program = new Command('roomwire')
  .description('Real-time publish/subscribe: a REST control API, WebSocket rooms and customer webhooks.')
  .version(version)
  .showHelpAfterError()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.misused));

const [, , command = ''] = process.argv;
const isService = ['start', ...serviceNames].includes(command);

// The reader of the output may close the pipe, as `head` does: a service goes on.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!isService) process.exit(0);
});
// Nothing depends on what is said there: a service goes on, and closes in order when the Ctrl-C that is for it ended a `tee` behind it, too.
process.stderr.on('error', () => undefined);

type AddCommands = (program: Command) => void;

/** In the order of the help text. */
const commandFiles: readonly {
  readonly names: readonly string[];
  readonly load: () => Promise<AddCommands>;
}[] = [
  { names: ['start'], load: async () => (await import('./serve.js')).addStart },
  { names: serviceNames, load: async () => (await import('./serve.js')).addServices },
  { names: ['projections'], load: async () => (await import('./rebuild.js')).addRebuild },
  { names: ['listen'], load: async () => (await import('./listen.js')).addListen },
  { names: ['publish'], load: async () => (await import('./connect.js')).addPublish },
  { names: ['scheduled'], load: async () => (await import('./scheduled.js')).addScheduled },
  { names: ['who'], load: async () => (await import('./who.js')).addWho },
  { names: ['history'], load: async () => (await import('./history.js')).addHistory },
  {
    names: [
      ...['apps', 'rooms', 'grants', 'groups', 'actors', 'scopes', 'signing-keys', 'revocations', 'api-keys'],
    ],
    load: async () => (await import('./resources/commands.js')).addResources,
  },
  { names: ['impact'], load: async () => (await import('./resources/impact.js')).addImpact },
  { names: ['connections'], load: async () => (await import('./connections.js')).addConnections },
  { names: ['dead-letters'], load: async () => (await import('./deadLetters.js')).addDeadLetters },
  { names: ['trace'], load: async () => (await import('./trace.js')).addTrace },
  { names: ['login', 'logout'], load: async () => (await import('./login.js')).addLogin },
  { names: ['explain-token'], load: async () => (await import('./explainToken.js')).addExplainToken },
  { names: ['ingest'], load: async () => (await import('./ingest.js')).addIngest },
  { names: ['console'], load: async () => (await import('./console.js')).addConsole },
  { names: ['token'], load: async () => (await import('./token.js')).addToken },
  { names: ['keys'], load: async () => (await import('./keys.js')).addKeys },
  { names: ['audit'], load: async () => (await import('./audit.js')).addAudit },
  { names: ['webhooks'], load: async () => (await import('./webhooks.js')).addWebhooks },
  { names: ['backup', 'restore'], load: async () => (await import('./backup.js')).addBackup },
  { names: ['doctor'], load: async () => (await import('./doctor.js')).addDoctor },
  { names: ['analytics'], load: async () => (await import('./analytics.js')).addAnalytics },
  {
    names: ['completion'],
    load: async () =>
      (await import('./completion.js')).addCompletion(() => addAll({ besides: 'completion' })),
  },
];

const addAll = async ({ besides }: { readonly besides: string }): Promise<void> => {
  for (const { names, load } of commandFiles) if (!names.includes(besides)) (await load())(program);
};

// Loading every command takes most of a second, so only help and mistyped commands load all of them.
const named = commandFiles.filter(({ names }) => names.includes(command));
for (const { load } of named.length > 0 ? named : commandFiles) (await load())(program);

// An empty variable counts as none for options too, as it does for settings: a compose file hands on those that are not set.
for (const [name, value] of Object.entries(process.env))
  if (name.startsWith('ROOMWIRE_') && value?.trim() === '') Reflect.deleteProperty(process.env, name);

await program.parseAsync();
