/** One change of a compiled module. */
export interface Edit {
  /** How the path of the module ends. */
  readonly module: string;
  /** What is there, once. */
  readonly find: string;
  readonly replace: string;
}

/** A defect of a kind that is easily made and hard to see, and what has to notice it. */
export interface KnownFault {
  readonly what: string;
  readonly rules: readonly string[];
  readonly edits: readonly Edit[];
}

const gateway = (module: string, find: string, replace: string): Edit => ({
  ...{ module: `/gateway/dist/src/${module}.js`, find, replace },
});
const shared = (module: string, find: string, replace: string): Edit => ({
  ...{ module: `/shared/dist/src/${module}.js`, find, replace },
});
const projections = (module: string, find: string, replace: string): Edit => ({
  ...{ module: `/projections/dist/src/${module}.js`, find, replace },
});
const commandApi = (module: string, find: string, replace: string): Edit => ({
  ...{ module: `/command-api/dist/src/${module}.js`, find, replace },
});

/** They are put into the code while it is loaded, one at a time, and are nowhere else. */
export const knownFaults: Readonly<Record<string, KnownFault>> = {
  'own-messages': {
    what: 'A publisher gets its own messages',
    rules: ['WS-PUB-2'],
    edits: [gateway('fanout/deliverAtOnce', 'if (actorTokenId === publisher)', 'if (false)')],
  },
  'second-copies': {
    what: 'Second copies of QoS 2 are not recognized: a lost dedupe',
    rules: ['WS-PUB-1'],
    edits: [gateway('fanout/deliverFromBus', 'if (isSecondCopy(message))', 'if (false)')],
  },
  'early-answer': {
    what: '`subscribed` is sent before the bus delivers: a missing await',
    rules: ['WS-PUB-1'],
    edits: [
      gateway(
        'subscriptions/subscription',
        'await this.deps.rooms.subscribe(access.room);',
        'void this.deps.rooms.subscribe(access.room).catch(() => undefined);',
      ),
    ],
  },
  'early-published': {
    what: '`published` is sent before the bus has the message: a lost acknowledgement',
    rules: ['WS-PUB-4', 'WS-PUB-1'],
    edits: [gateway('publishing/publishToBus', "qos === 0 ? 'none' : 'stored'", "'none'")],
  },
  'overtaken-record': {
    what: 'A message that is not recorded overtakes one that is being recorded',
    rules: ['WS-PUB-3'],
    edits: [
      gateway(
        'publishing/publishToBus',
        'recorded === undefined && publisher.waitingForRecord === undefined',
        'recorded === undefined',
      ),
    ],
  },
  'stale-cache': {
    what: 'A room that changed while it was read stays in the cache: a dropped fence',
    rules: ['WS-GRANT-5', 'WS-GRANT-1', 'WS-TOPIC-4'],
    edits: [gateway('access/entryCache', 'const isStale = ', 'const isStale = false && ')],
  },
  'unchecked-join': {
    what: 'A grant that is revoked while a subscription joins is not noticed',
    rules: ['WS-TOPIC-4'],
    edits: [
      gateway(
        'subscriptions/joining',
        'if (!isCurrent(access))\n        deps.recheckProject',
        'if (false)\n        deps.recheckProject',
      ),
    ],
  },
  'unchecked-auth': {
    what: 'An actor that is deleted while it authenticates stays connected',
    rules: ['WS-TOPIC-4', 'WS-GRANT-5'],
    edits: [
      gateway(
        'session/sessions',
        'return this.deps.revalidator.changes.haveTouched(',
        'return false && this.deps.revalidator.changes.haveTouched(',
      ),
    ],
  },
  'deleted-actor': {
    what: 'The connections of a deleted actor stay until all rights are read again',
    rules: ['WS-TOPIC-4', 'WS-GRANT-5'],
    edits: [gateway('session/domainChanges', 'revalidator.actorDeleted(data.actorTokenId)', 'undefined')],
  },
  'swapped-feed': {
    what: 'The feed tells of events before the read models hold them: swapped awaits',
    rules: ['WS-GRANT-5', 'WS-GRANT-1', 'WS-TOPIC-4'],
    edits: [
      projections(
        'gatheredBatches',
        'await this.steps.write(events);',
        'await this.steps.afterwards(events); await this.steps.write(events);',
      ),
      projections('gatheredBatches', 'try {\n            await this.steps.afterwards(events);', 'try {'),
    ],
  },
  'unconfirmed-feed': {
    what: 'What a crash kept from the feed is not published again',
    rules: ['WS-GRANT-5', 'WS-GRANT-1', 'WS-TOPIC-4'],
    edits: [projections('followLog', 'await feed.resume(writtenUpTo);', ';')],
  },
  'unread-writes': {
    what: 'A command is answered before the read models show it',
    rules: ['read-your-writes'],
    edits: [
      commandApi(
        'handling/commandHandler',
        "await traced(tracing, 'wait for read models'",
        "void traced(tracing, 'wait for read models'",
      ),
    ],
  },
  'dead-members': {
    what: 'The members of a dead gateway stay in their worker groups',
    rules: ['WS-GROUP-4'],
    edits: [gateway('groups/machine/replica', 'lost(gatewayId) {', 'lost(gatewayId) {\n        return;')],
  },
  'ignored-messages': {
    what: 'A worker group does not get what it has ignored while it had lost members that are still there',
    rules: ['WS-GROUP-4'],
    edits: [gateway('groups/machine/absence', 'if (this.others.hasEligible(message))', 'if (true)')],
  },
  'lost-spares': {
    what: 'A worker group that is bootstrapped does not get again what those had who had the state before',
    rules: ['WS-GROUP-4'],
    edits: [gateway('groups/machine/absence', 'const { messages } = this;', 'const messages = [];')],
  },
  'lost-commands': {
    what: 'A command of a worker group that the bus refused is not sent again',
    rules: ['WS-GROUP-4', 'WS-GROUP-2'],
    edits: [gateway('groups/commandAppender', '            return false;', '            return true;')],
  },
  'ghost-presence': {
    what: 'The presences of a dead gateway stay',
    rules: ['WS-PRES-13'],
    edits: [gateway('presence/peers', 'this.gone(peer, false);', '')],
  },
  'unasked-presence': {
    what: 'A gateway does not ask for presences that it has missed',
    rules: ['WS-PRES-6'],
    edits: [gateway('presence/replica', 'this.deps.requestState(gatewayId);', '')],
  },
  'kept-rooms': {
    what: 'A client that enters one room stays in the others',
    rules: ['WS-PRES-13'],
    edits: [gateway('presence/presence', 'this.leaveOthers(member, room)', 'undefined')],
  },
  'uncounted-leaves': {
    what: 'Who counts is told of those who come, and not of those who go',
    rules: ['WS-PRES-17'],
    edits: [gateway('presence/counts', "event !== 'update'", "event === 'join'")],
  },
  'unawaited-claim': {
    what: 'A message is sent before its id is decided: a missing await',
    rules: ['WS-ONCE-1'],
    edits: [
      gateway(
        'publishing/publishClaims',
        'const outcome = await this.claims.add({ key, digest, messageId, at: acceptedAt(messageId) });',
        `void this.claims.add({ key, digest, messageId, at: acceptedAt(messageId) }).catch(() => undefined);
            const outcome = { kind: 'claimed', messageId };`,
      ),
    ],
  },
  'unsettled-claim': {
    what: 'The store is not told that a message was sent',
    rules: ['WS-ONCE-2'],
    edits: [
      gateway(
        'publishing/publishClaims',
        'settling((claims) => store.sent(claims))',
        'settling(async () => undefined)',
      ),
    ],
  },
  'fresh-message-id': {
    what: 'What was given up, or taken over, is sent under a message id of its own',
    rules: ['WS-ONCE-1'],
    edits: [
      gateway(
        'publishing/publishClaims',
        'this.won(key, outcome)',
        'this.won(key, { ...outcome, messageId })',
      ),
    ],
  },
  'freed-claim': {
    what: 'An id is free although nobody knows whether its message was sent',
    rules: ['WS-ONCE-1'],
    edits: [gateway('publishing/publishToBus', 'await claims.givenUp(claim);', 'await claims.free(claim);')],
  },
  'sent-again': {
    what: 'Second copies of messages with ids are not recognized: a lost dedupe',
    rules: ['WS-ONCE-4', 'WS-PUB-1'],
    edits: [gateway('fanout/deliverFromBus', 'mayComeTwice(message) &&', 'message.qos === 2 &&')],
  },
  'unseen-conflict': {
    what: 'Other data under the same id is taken for the same',
    rules: ['WS-ONCE-3', 'WS-PUB-4'],
    edits: [shared('adapters/publish-ids/decideClaim', 'if (kept.digest !== claim.digest)', 'if (false)')],
  },
  'overtaken-claim': {
    what: 'A message without an id overtakes one whose id is being decided',
    rules: ['WS-PUB-3'],
    edits: [
      gateway(
        'publishing/publish',
        'publisher.waitingForId === undefined ? admit(passing) : inLine(passing, undefined)',
        'admit(passing)',
      ),
    ],
  },
  echo: {
    what: 'A subscription with `own` gets what its own connection has published',
    rules: ['WS-OWN-1'],
    edits: [gateway('fanout/subscriber', 'this.client.connection !== connectionOf(id)', 'true')],
  },
  'time-of-delivery': {
    what: '`meta` has the time at which each gateway delivers',
    rules: ['WS-META-2'],
    edits: [gateway('fanout/messageFrames', 'at: acceptedAt(id)', 'at: Date.now()')],
  },
  'early-live': {
    what: 'What is held goes to the client before the replay',
    rules: ['WS-HIST-7'],
    edits: [
      gateway(
        'subscriptions/beginInRecord',
        'const { messages = [] } = selection ?? {};',
        'replay.release(); const { messages = [] } = selection ?? {};',
      ),
    ],
  },
  'held-twice': {
    what: 'What is held and replayed comes live as well: a lost threshold',
    rules: ['WS-HIST-7', 'WS-PUB-1'],
    edits: [gateway('history/replay', 'this.hold.read(upTo);\n        await this', 'await this')],
  },
  'early-end': {
    what: 'A read shares the end of the partition with one that began before it',
    rules: ['WS-HIST-3'],
    edits: [
      shared('runtime/sharedAnswer', 'return (this.next ??= ', 'return this.asking; return (this.next ??= '),
    ],
  },
  'index-first': {
    what: 'The index is read before the tail, which has moved on meanwhile: swapped awaits',
    rules: ['WS-HIST-3', 'WS-HIST-5', 'WS-HIST-7', 'WS-HIST-12'],
    edits: [
      shared(
        'history/indexedHistory',
        'const end = await this.partitions.endOf(topic.room);\n            const indexed = await this.index.topic(topic);',
        'const indexed = await this.index.topic(topic);\n            const end = await this.partitions.endOf(topic.room);',
      ),
    ],
  },
  'copy-of-itself': {
    what: 'A message that is indexed while the record is read is taken for a second copy',
    rules: ['WS-HIST-3', 'WS-HIST-5', 'WS-HIST-7', 'WS-HIST-12'],
    edits: [
      shared('history/mergedView', 'indexed.newestFirst(placeBehind(newest)))', 'indexed.newestFirst())'),
    ],
  },
  'early-checkpoint': {
    what: 'The archiver moves on before it has written: swapped awaits',
    rules: ['WS-HIST-3', 'WS-HIST-5', 'WS-HIST-7', 'WS-HIST-12'],
    edits: [
      shared(
        'adapters/history/partitionArchive',
        'await this.deps.index.append(this.deps.partition, records, to);',
        'await this.write(to); await this.deps.index.append(this.deps.partition, records, to);',
      ),
    ],
  },
  'undeleted-tail': {
    what: 'What is deleted and not yet in the index is still there',
    rules: ['WS-HIST-13'],
    edits: [
      shared('history/mergedView', 'tail.filter(({ place }) => isBehind(place, indexed.deletedTo))', 'tail'),
    ],
  },
  'unsaid-deletion': {
    what: 'A replay from before a deletion is said to be continuous',
    rules: ['WS-HIST-5'],
    edits: [shared('history/boundedView', '[removedTo, placeOfDeletion(deletedTo)]', '[removedTo]')],
  },
  'unsaid-expiry': {
    what: 'What the index has removed is not missed',
    rules: ['WS-HIST-5'],
    edits: [
      shared(
        'history/boundedView',
        '[removedTo, placeOfDeletion(deletedTo)]',
        '[placeOfDeletion(deletedTo)]',
      ),
    ],
  },
  'unchecked-ordinals': {
    what: 'What is removed while a replay is gathered is not missed',
    rules: ['WS-HIST-5'],
    edits: [gateway('history/selection', 'if (kept.ordinal < expected)', 'if (false)')],
  },
  'unrefused-gap': {
    what: 'A gap is not refused although that was asked for',
    rules: ['WS-HIST-6'],
    edits: [gateway('subscriptions/beginInRecord', "selection?.gap && frame.onGap === 'refuse'", 'false')],
  },
  'unchecked-end': {
    what: 'What is removed from the end of the record while a replay is gathered is not missed',
    rules: ['WS-HIST-5'],
    edits: [
      gateway('history/selection', 'const isShort = found.isToTheEnd && ', 'const isShort = false && '),
    ],
  },
  'unsaid-deliveries': {
    what: 'A job that comes again does not say which hand-out it is',
    rules: ['WS-JOB-5'],
    edits: [
      gateway(
        'subscriptions/memberDelivery',
        'jobBody(message.body, message.id, delivery)',
        'jobBody(message.body, message.id, 1)',
      ),
    ],
  },
  'unread-past': {
    what: 'Whoever takes a group over does not read what it has missed',
    rules: ['WS-JOB-4'],
    edits: [gateway('jobs/owner/ownedShard', 'await this.untilDone(() => catchUp(', 'void (() => catchUp(')],
  },
  'unstored-settlements': {
    what: 'What was acknowledged is not stored',
    rules: ['WS-JOB-8', 'WS-JOB-2'],
    edits: [gateway('jobs/owner/groupBacklog', 'this.changes.settle(seq);', '')],
  },
  'endless-jobs': {
    what: 'A job that is not acknowledged stays with its member',
    rules: ['WS-JOB-2'],
    edits: [gateway('jobs/queue/deadlines', 'if (first && first.dueAt <= now)', 'if (false)')],
  },
  'second-jobs': {
    what: 'A second copy of a message is another job',
    rules: ['WS-JOB-2', 'WS-JOB-5', 'WS-JOB-8'],
    edits: [gateway('jobs/owner/ownedGroup', 'if (this.taken.isRepeated(message.id))', 'if (false)')],
  },
  'second-news': {
    what: 'What gateways tell one another about jobs is taken twice if the bus stores it twice',
    rules: ['WS-JOB-2', 'WS-JOB-5', 'WS-JOB-8'],
    edits: [gateway('jobs/link/jobLink', ' && !this.secondCopies.isOne(news)', '')],
  },
  'unread-answers': {
    what: 'An acknowledgement that waits when its connection ends is dropped',
    rules: ['WS-JOB-8'],
    edits: [gateway('socket/connection', 'of lastAnswers(waiting))', 'of [])')],
  },
  'kept-by-leavers': {
    what: 'What a member has that leaves is not handed out again',
    rules: ['WS-JOB-2', 'WS-JOB-4'],
    edits: [gateway('jobs/queue/jobQueue', 'for (const job of unfinished) {', 'for (const job of []) {')],
  },
  'unread-leftovers': {
    what: 'Jobs that are left in the store while it is being read are taken for read',
    rules: ['WS-JOB-2'],
    edits: [gateway('jobs/queue/jobMemory', 'Math.min(to, this.againFrom - 1)', 'to')],
  },
  'unknown-places': {
    what: 'Messages are held before a gateway knows where they stand, and are replayed as well: a missing await',
    rules: ['WS-HIST-7', 'WS-PUB-1'],
    edits: [gateway('subscriptions/subscribing', 'if (history)', 'if (false)')],
  },
};
