import type { BatchAnswer, MessageResult, PublishApi } from '../../src/publishing/publishApi.js';

export interface SentMessage {
  readonly topic: string;
  readonly data?: unknown;
  readonly base64?: string;
  readonly id: string;
}

/** Answers of the test, and then `accepted`; an error is thrown. Knows all that it was asked. */
export class ScriptedPublishApi implements PublishApi {
  readonly asked: (readonly SentMessage[])[] = [];
  private readonly answers: ((messages: readonly SentMessage[]) => BatchAnswer | Error)[] = [];
  /** For requests without an answer of the test. */
  usual = (messages: readonly SentMessage[]): BatchAnswer => acceptedAll(messages);

  next(answer: BatchAnswer | Error | ((messages: readonly SentMessage[]) => BatchAnswer)): this {
    this.answers.push(typeof answer === 'function' ? answer : () => answer);
    return this;
  }

  publish(bodies: readonly string[]): Promise<BatchAnswer> {
    const messages = bodies.map((body) => JSON.parse(body) as SentMessage);
    this.asked.push(messages);
    const answer = (this.answers.shift() ?? this.usual)(messages);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }
}

export const accepted = ({ id }: SentMessage): MessageResult => ({ id, at: '2026-01-31T12:00:00.000Z' });

export const acceptedAll = (messages: readonly SentMessage[]): BatchAnswer => ({
  is: 'answered',
  results: messages.map(accepted),
});

export const unsettled = (afterMs?: number): BatchAnswer => ({ is: 'unsettled', why: 'away', afterMs });

export const malformed: BatchAnswer = { is: 'malformed', why: 'Validation failed' };
