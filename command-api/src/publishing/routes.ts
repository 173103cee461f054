import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { BackendMessage, Publishing, PublishResult } from '@roomwire/shared/ports/publishing';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { validationError } from '../http/errors.js';
import { answeredErrors } from '../http/protocolErrors.js';
import { projectRoute, type Route } from '../http/route.js';
import { listedFailures } from '../http/validation.js';
import { answerPublished } from './answers.js';
import type { TakeMessages } from './messageRate.js';
import { publishMessages } from './publishMessages.js';
import { readPublishBody } from './requestBody.js';
import { exampleMessage, examplePublished, publishedSchema, publishSchema } from './resource.js';

export interface PublishingDeps {
  /** Undefined while this process cannot publish. */
  readonly publishing: () => Publishing | undefined;
  readonly takeMessages: TakeMessages;
  /** Counts the messages by what became of them. */
  readonly publishes: Record<PublishOutcome, number>;
}

type PublishOutcome = 'accepted' | 'duplicate' | 'refused';

const outcomeOf = (result: PublishResult): PublishOutcome => {
  if ('error' in result) return 'refused';
  return result.isDuplicate ? 'duplicate' : 'accepted';
};

export const publishingRoutes = ({
  publishing,
  takeMessages,
  publishes,
}: PublishingDeps): readonly Route[] => [
  projectRoute({
    method: 'post',
    path: '/publish',
    operationId: 'publishMessages',
    permission: 'publish:write',
    tag: 'Publishing',
    summary: 'Publish a message, or up to a hundred',
    body: publishSchema,
    readBody: readPublishBody,
    hasOwnRate: true,
    status: 200,
    answer: publishedSchema,
    example: { body: exampleMessage, answer: examplePublished },
    rejections: [],
    protocolErrors: answeredErrors,
    async handle({ caller, body: { isBatch, messages }, now }) {
      refuseTooFarAhead(messages, isBatch, Date.parse(now));
      const publisher = publishing();
      if (publisher === undefined) throw new EngineUnavailable('message bus');
      const { organizationId, projectId, principal } = caller;
      const { taken, waitMs } = takeMessages(principal, messages.length);
      const results = await publishMessages(publisher, { organizationId, projectId }, messages, taken);
      for (const result of results) publishes[outcomeOf(result)] += 1;
      return answerPublished(results, { isBatch, now: Date.parse(now), waitMs });
    },
  }),
];

/** [HTTP-LATER-1] */
const refuseTooFarAhead = (messages: readonly BackendMessage[], isBatch: boolean, now: number): void => {
  const last = now + limitTable.scheduleAhead.value;
  const failures = messages.flatMap(({ deliverAt }, at) =>
    deliverAt !== undefined && deliverAt > last
      ? [{ path: isBatch ? `messages.${at}.deliverAt` : 'deliverAt', value: null, message: tooFarAhead }]
      : [],
  );
  if (failures.length > 0) throw validationError(failures.slice(0, listedFailures));
};

const tooFarAhead = 'must be at most 30 days ahead';
