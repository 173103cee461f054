import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Clock } from '@roomwire/shared/ports/clock';
import { redactText } from '@roomwire/shared/credentials/redactText';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import { AppendTooLarge, EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import { calmLogger } from '@roomwire/shared/runtime/onceAMinute';
import { Rejection } from '../handling/rejections.js';
import { applicationError, ErrorAnswer, answerRejection } from './errors.js';
import { requestIdOf } from './request.js';
import { sendJson } from './sendJson.js';

interface ErrorHandlerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each command that an event of a newer version keeps from being decided. */
  readonly onUnknownEvent?: () => void;
}

export const failureMessages = {
  badRequest: 'The request is not valid',
  tooLarge: 'The change is larger than the event log takes at once',
  unavailable: 'The service is temporarily unavailable, please try again',
  unexpected: 'Internal server error',
} as const;

/** A newer version writes the stream; while an upgrade is under way, another process soon takes the command. */
const retryAfterUpgrade = { 'Retry-After': '10' };

export const answerUnknownRoute =
  ({ clock }: Pick<ErrorHandlerDeps, 'clock'>): RequestHandler =>
  (request, response) => {
    throw applicationError(404, `Cannot ${request.method} ${request.path}`, {
      id: requestIdOf(response),
      now: new Date(clock.now()).toISOString(),
    });
  };

/** No endpoint accepts OPTIONS. By default, Express would list the methods of a path to anyone, as text. */
export const rejectOptions = (deps: ErrorHandlerDeps): RequestHandler => {
  const reject = answerUnknownRoute(deps);
  return (request, response, next) =>
    request.method === 'OPTIONS' ? reject(request, response, next) : next();
};

/** Answers a request that failed; where the answer has begun, the connection is closed. */
export type AnswerFailure = (error: unknown, response: ServerResponse) => void;

/** The one place where a failure becomes an answer. An unexpected one shows nothing but its id. */
export const createFailureAnswerer = ({
  clock,
  logger,
  onUnknownEvent = () => undefined,
}: ErrorHandlerDeps): AnswerFailure => {
  const warnings = calmLogger({ clock, logger });
  const answerFor = (error: unknown, at: { id: string; now: string }): ErrorAnswer => {
    if (error instanceof ErrorAnswer) return error;
    if (error instanceof Rejection) return answerRejection(error as Rejection, at);
    if (error instanceof EngineUnavailable || error instanceof RevisionConflict) {
      logger.warn('A request could not be served', { requestId: at.id, reason: error.message });
      return applicationError(503, failureMessages.unavailable, at);
    }
    if (error instanceof UnknownEvent) {
      onUnknownEvent();
      const { type, schemaVersion, stream } = error.event;
      warnings.warn('A stream has events of a newer version: commands on it are refused', {
        ...{ requestId: at.id, stream, type, schemaVersion, remedy: 'update command-api' },
      });
      return applicationError(503, failureMessages.unavailable, at, retryAfterUpgrade);
    }
    if (error instanceof AppendTooLarge) return applicationError(413, failureMessages.tooLarge, at);
    if (isBadRequest(error)) return applicationError(400, failureMessages.badRequest, at);
    logger.error('A request failed', { requestId: at.id, error });
    return applicationError(500, failureMessages.unexpected, at);
  };

  return (error, response) => {
    if (response.headersSent) return void response.destroy();
    const at = { id: requestIdOf(response), now: new Date(clock.now()).toISOString() };
    const { status, headers, body } = answerFor(error, at);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, status, body, withoutCredentials);
  };
};

/** Express recognizes error handlers by their four parameters. */
export const answerErrors =
  (answerFailure: AnswerFailure): ErrorRequestHandler =>
  (error: unknown, _request, response, _next) =>
    answerFailure(error, response);

/** Values that were sent are echoed; a credential in the wrong field must not be. */
const withoutCredentials = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? redactText(value) : value;

/** A path or a query that cannot be decoded is a URIError with this status. */
const isBadRequest = (error: unknown): boolean => (error as { status?: unknown } | null)?.status === 400;
