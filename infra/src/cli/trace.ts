import { Option, type Command } from 'commander';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { askApi } from '../api-client/apiRequests.js';
import { orFail } from './apiOptions.js';
import { exitCodes, fail, say } from './fail.js';
import { addSessionOptions, sessionOrExit, type SessionOptions } from './sessionOptions.js';
import { messageLines, type TraceAnswer } from './traceLines.js';

interface TraceOptions extends SessionOptions {
  readonly project?: string;
  readonly scope?: string;
  readonly message?: string;
  readonly position?: string;
  readonly at?: string;
  readonly actor?: string;
  readonly json: boolean;
}

export const addTrace = (program: Command): void => {
  const command = program
    .command('trace')
    .description('explain what happened to a message for an actor, or for everyone in its room')
    .argument('<topic>', 'app-slug/room-slug/topic-name')
    .addOption(new Option('--message <id>', 'the id of the message').conflicts(['position', 'at']))
    .addOption(new Option('--position <position>', 'its position in the history').conflicts('at'))
    .option('--at <time>', 'instead of a message: what would have happened to one at that time')
    .option('--actor <actor>', 'an actorTokenId, a keyId or ext:…; by default everyone who was in the room')
    .option('--scope <scope>', 'the id or the slug of an access scope')
    .option('--project <projectId>', 'the project; needed if the organization has several')
    .option('--json', 'as JSON', false);
  addSessionOptions(command).action(trace);
};

const trace = async (topic: string, options: TraceOptions): Promise<void> => {
  const { message: messageId, position, at, actor: actorId, scope } = options;
  if ([messageId, position, at].every((each) => each === undefined))
    return fail('Name a message with --message or --position, or a time with --at', exitCodes.misused);
  const { url, sessionToken, organizationId } = await sessionOrExit(options, {
    ...{ role: 'viewer', subject: 'trace' },
  });
  const api = { url, credential: sessionToken };
  await orFail(async () => {
    const projectId = options.project ?? (await onlyProject(api, organizationId));
    const query = { projectId, topic, scope, messageId, position, at, actorId };
    let cursor: string | undefined;
    do {
      const answer = await askApi<TraceAnswer>(api, `organizations/${organizationId}/trace`, {
        query: { ...query, cursor },
      });
      print(answer, options.json);
      cursor = answer.nextCursor ?? undefined;
    } while (cursor !== undefined);
  });
};

const print = (answer: TraceAnswer, asJson: boolean): void => {
  if (asJson) process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
  else for (const message of answer.messages) process.stdout.write(messageLines(message));
  if (answer.hasMore) say(`Only the newest ${answer.examined} messages were looked at.`);
};

const onlyProject = async (api: ApiAddress, organizationId: string): Promise<string> => {
  const path = `organizations/${organizationId}/projects`;
  const { data } = await askApi<{ readonly data: readonly { readonly projectId: string }[] }>(api, path, {
    query: { limit: 2 },
  });
  const [project, another] = data;
  if (project === undefined || another !== undefined)
    return fail('Name a project of the organization with --project', exitCodes.misused);
  return project.projectId;
};
