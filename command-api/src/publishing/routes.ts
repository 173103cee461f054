import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Publishing, PublishResult } from '@roomwire/shared/ports/publishing';
import { answeredErrors } from '../http/protocolErrors.js';
import { projectRoute, type Route } from '../http/route.js';
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
