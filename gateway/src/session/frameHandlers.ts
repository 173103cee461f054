import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ReauthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import type {
  ClientFrame,
  ClientFrameOf,
  ClientFrameType,
  GetPresenceFrame,
  HistoryFrame,
  ReauthFrame,
} from '@roomwire/shared/wire/protocol/clientFrames';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { historyFrame } from '@roomwire/shared/wire/protocol/historyFrame';
import { maxPresenceListBytes } from '@roomwire/shared/wire/protocol/limits';
import { presenceListBytes, presenceListFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Identity } from '../access/client.js';
import type { ConnectedActor } from '../access/connectedActor.js';
import { actorHolder, checkCredential, restsOn, type CredentialDeps } from '../access/credentials.js';
import type { GatewayMetrics } from '../metrics.js';
import type { RecordReads } from '../history/recordReads.js';
import { inNamedRoom } from '../presence/inNamedRoom.js';
import type { Presence } from '../presence/presence.js';
import { createPresenceHandler, type PresenceFrameDeps } from './presenceFrame.js';
import { createPublishHandler, type PublishFrameDeps } from './publishFrame.js';
import type { Revalidator } from './revalidator.js';
import type { Session } from './session.js';

export interface FrameHandlerDeps extends PublishFrameDeps, PresenceFrameDeps {
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  readonly limits: Pick<LimitReports, 'reached'>;
  readonly credentials: CredentialDeps;
  readonly presence: PresenceFrameDeps['presence'] & Pick<Presence, 'entries' | 'lobbies'>;
  readonly revalidator: Pick<Revalidator, 'changes' | 'recheckActor' | 'recheckProject'>;
  readonly record: Pick<RecordReads, 'ask'>;
}

/** A protocol error, or undefined when the frame was handled; a promise only where the handler has to wait. */
export type Outcome = ProtocolErrorName | void | Promise<ProtocolErrorName | void>;

/** Handles one type of frame of an authenticated connection. */
type Handler<T extends ClientFrameType> = (session: Session, frame: ClientFrameOf<T>) => Outcome;

export type HandleFrame = (session: Session, frame: ClientFrame) => Outcome;

export const createFrameHandler = (deps: FrameHandlerDeps): HandleFrame => {
  const throttled = throttledWith(deps);
  const { metrics, presence } = deps;
  const { lobbies } = presence;
  /** One handler a frame type; a missing one is a type error. */
  const handlers: { readonly [T in ClientFrameType]: Handler<T> } = {
    // [WS-AUTH-6] A connection belongs to one actor until it ends.
    auth: () => 'alreadyAuthenticated',
    reauth: throttled((session, frame) => reauthenticate(session, frame, deps)),
    subscribe: throttled(({ subscriptions }, frame) => subscriptions.subscribe(frame)),
    // [WS-UNSUB-1] The answer does not depend on whether there was a subscription.
    unsubscribe: throttled((session, { topic }) => {
      session.subscriptions.unsubscribe(topic);
      session.send({ type: 'unsubscribed', topic });
    }),
    history: throttled((session, frame) => sendHistory(session, frame, deps)),
    publish: createPublishHandler(deps),
    // [WS-ACK-1] There is no answer.
    ack: ({ subscriptions }, { msgId }) => {
      metrics.acks++;
      acknowledge(subscriptions, msgId);
    },
    // [WS-ACK-2]
    batchAck: ({ subscriptions }, { msgIds }) => {
      metrics.acks += msgIds.length;
      for (const msgId of msgIds) acknowledge(subscriptions, msgId);
    },
    // [WS-JOB-6]
    nack: ({ subscriptions }, { msgId, delaySeconds }) =>
      subscriptions.jobs.giveBack(msgId, delaySeconds * 1_000),
    // [WS-JOB-7]
    progress: ({ subscriptions }, { msgId }) => subscriptions.jobs.progress(msgId),
    setFilters: throttled(({ subscriptions }, frame) => subscriptions.setFilters(frame)),
    presence: createPresenceHandler(deps, (handle) => throttled<'presence'>(handle)),
    getPresence: throttled((session, frame) => sendPresence(session, frame, deps)),
    lobbySubscribe: throttled((session, { lobbyId }) => lobbies.subscribe(session, lobbyId)),
    // [WS-LOBBY-5] The answer does not depend on whether there was a subscription.
    lobbyUnsubscribe: throttled((session, { lobbyId }) => {
      lobbies.unsubscribe(session, lobbyId);
      session.send({ type: 'lobbyUnsubscribed', lobbyId });
    }),
    getLobbyPresence: throttled((session, { lobbyId }) => lobbies.list(session, lobbyId)),
  };
  return (session, frame) => (handlers[frame.type] as Handler<ClientFrameType>)(session, frame);
};

/**
 * [WS-CONN-10] Delays a request of a connection that is over its rate, and all frames behind it. No frame is lost, and one
 * connection cannot monopolize the gateway or the engines.
 */
const throttledWith =
  ({ clock, metrics, limits }: FrameHandlerDeps) =>
  <T extends ClientFrameType>(handle: Handler<T>): Handler<T> =>
  (session, frame) => {
    const waitMs = session.requests?.reserve(clock.monotonic()) ?? 0;
    if (waitMs === 0) return handle(session, frame);
    metrics.requestsThrottled++;
    limits.reached('requestRate', { actorTokenId: session.identity.actorTokenId });
    return pause(waitMs, undefined, { ref: false }).then(() =>
      session.isOver ? undefined : handle(session, frame),
    );
  };

const acknowledge = ({ acks, jobs }: Session['subscriptions'], msgId: string): void => {
  if (!jobs.acked(msgId)) acks.acked(msgId);
};

/** [WS-REAUTH-1] Has the effects of an `auth`; a failure changes nothing. */
const reauthenticate = async (
  session: Session,
  { token }: ReauthFrame,
  { revalidator, credentials }: FrameHandlerDeps,
): Promise<void> => {
  const changesBefore = revalidator.changes.latest;
  const { address } = session;
  const result = await checkCredential(credentials, { token, address, frame: 'reauth' });
  if (session.isOver) return;
  const failed = (error: ReauthError) => session.send({ type: 'reauth', success: false, error });
  if (typeof result === 'string') return failed(result);
  if (!isSameActor(result.actor, session.identity)) {
    const [holder, refused] = [
      actorHolder(result.actor),
      { reason: 'actor_mismatch', address, frame: 'reauth' } as const,
    ];
    credentials.logger.debug('A credential was refused', { ...refused, principal: holder.principal });
    credentials.reports.credential(holder, refused);
    return failed('actor_mismatch');
  }

  session.renew(result);
  session.send({ type: 'reauth', success: true, authExpiresAt: result.clientToken?.expiresAt });
  session.endLeftOut();
  // Changes that arrived during the check were applied to the old credential.
  if (revalidator.changes.haveTouched(restsOn(result), changesBefore))
    revalidator.recheckActor(session.identity.actorTokenId);
};

/** [WS-EXT-7] What external actors are is said by their tokens, and holds for as long as the connection. */
const isSameActor = (actor: ConnectedActor, identity: Identity): boolean =>
  actor.actorTokenId === identity.actorTokenId && actor.actorType === identity.actorType;

/** [WS-PRES-7] */
const sendPresence = async (
  session: Session,
  { roomId }: GetPresenceFrame,
  { presence }: FrameHandlerDeps,
): Promise<ProtocolErrorName | void> => {
  if (roomId === undefined) return session.outbox.push(presenceListFrame(undefined, []));
  await presence.ready;
  return inNamedRoom(presence, session, roomId, (access) => {
    const entries = presence.entries(access);
    // A reader would be closed for what it has asked for.
    if (presenceListBytes(entries) > maxPresenceListBytes) return 'presenceListTooLarge';
    return session.outbox.push(presenceListFrame(roomId, entries));
  });
};

/** [WS-HIST-12] Needs no subscription. */
const sendHistory = async (
  session: Session,
  frame: HistoryFrame,
  { record }: FrameHandlerDeps,
): Promise<ProtocolErrorName | void> => {
  const { topic, ref } = frame;
  const { projectId } = session.identity;
  let access = await session.access(topic);
  for (;;) {
    if (!access?.mayReadHistory) return 'unknownTopic';
    const { history } = access;
    if (history === undefined) return 'historyDisabled';
    const page = await record.ask({ projectId, history }, frame);
    if (session.isOver) return;
    // [WS-TOPIC-4] [WS-SCOPE-4] A read waits for its turn: the rights, the scope or the history may be others by now.
    access = await session.access(topic);
    if (access?.mayReadHistory && isDeepStrictEqual(access.history, history))
      return session.outbox.push(historyFrame({ topic, ref, ...page }));
  }
};
