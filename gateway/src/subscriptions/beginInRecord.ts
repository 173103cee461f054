import { endOf } from '@roomwire/shared/ports/history';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ServerFrame } from '@roomwire/shared/wire/protocol/serverFrames';
import type { Client } from '../access/client.js';
import type { TopicAccess, TopicRecord } from '../access/topicAccess.js';
import type { Hold } from '../history/hold.js';
import type { Beginning, RecordReads } from '../history/recordReads.js';
import { untilRead, type Replay, type Replaying } from '../history/replay.js';

type Subscribed = Extract<ServerFrame, { type: 'subscribed' }>;

/** A subscription of which it is known what it gets before its live messages. */
export interface Begun {
  /** What `subscribed` says of it. */
  readonly answer: Pick<Subscribed, 'position' | 'continuity' | 'gap'>;
  /** The client has the answer: sends what was published before, and then the live messages. */
  start(): void;
}

interface Beginner extends Replaying {
  readonly client: Client;
  readonly access: TopicAccess;
  selects(message: LiveMessage): boolean;
}

export interface BeginOptions {
  /** In which the subscription waits. */
  readonly hold: Hold;
  /** Of the topic when that began. */
  readonly history: TopicRecord;
  readonly frame: SubscribeFrame;
  /** Whether it has got no live messages before. */
  readonly isNew: boolean;
}

/** [WS-HIST-4] Whether a subscription has to know where its live messages begin: it asks for what came before, or for positions. */
export const beginsInRecord = (
  { from, meta, loadBalance }: SubscribeFrame,
  { history }: Pick<TopicAccess, 'history'>,
): boolean => history !== undefined && !loadBalance && (from !== undefined || meta);

/**
 * Reads what the subscription begins with. Rejects with `EngineUnavailable`: one that was there before then goes on as it was.
 * `ended`: it is no longer held there. `unrecorded`: history has been switched off, and one that was there before goes on.
 */
export const beginInRecord = async (
  record: RecordReads,
  subscription: Beginner,
  { hold, history: former, frame, isNew }: BeginOptions,
): Promise<Begun | 'ended' | 'unrecorded' | 'refused'> => {
  const { client } = subscription;
  const { projectId } = client.identity;
  // [WS-HIST-10] What is selected goes to the client at once: nothing else of that size may wait there.
  await untilRead(client.outbox, () => client.isOver);
  if (!subscription.isHeldBy(hold)) return 'ended';
  const { history = former } = subscription.access;
  const of = { projectId, history };
  const replay = record.replay(subscription, hold, of);
  if (subscription.access.history === undefined) {
    // [WS-SUB-2] What it has got no more live is in the record that was.
    if (!isNew) replay.release();
    return 'unrecorded';
  }
  let beginning: Beginning;
  try {
    beginning = await record.begin(of, frame, (message) => subscription.selects(message));
    if (!subscription.isHeldBy(hold)) return 'ended';
    const { view, selection } = beginning;
    if (selection?.gap && frame.onGap === 'refuse') return 'refused';
    // An earlier subscription gets live what was published before the answer, whatever is replayed.
    if (!isNew && selection) await replay.sendHeld(view);
  } catch (error) {
    if (!isNew) replay.release();
    throw error;
  }
  if (!subscription.isHeldBy(hold)) return 'ended';
  const { selection, position } = beginning;
  return {
    answer: { position, continuity: selection?.continuity, gap: selection?.gap },
    // [WS-SUB-2] None is missed: what the record has may still be on its way to a subscription that has read nothing of it.
    start: () => (isNew || selection ? start(replay, client, frame, beginning) : replay.release()),
  };
};

const start = (
  replay: Replay,
  client: Client,
  { topic }: SubscribeFrame,
  { view, selection }: Beginning,
): void => {
  const { messages = [] } = selection ?? {};
  if (messages.length > 0) {
    client.send({ type: 'replayStart', topic, count: messages.length });
    replay.send(messages);
    client.send({ type: 'replayEnd', topic, replayed: messages.length });
  }
  void replay.goLive(endOf(view));
};
