import { STATUS_CODES } from 'node:http';
import { rejections, type Rejection, type RejectionRow } from '../handling/rejections.js';

/** An answer other than success: a status and one of the three error shapes of the API. */
export class ErrorAnswer extends Error {
  override readonly name = 'ErrorAnswer';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, headers = {}) {
    super(`${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Whose credential it is, or was. */
export interface CredentialHolder {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly principal: string;
}

/** The answer to a call with a credential of somebody who is known, and which does not open the route. */
export class RefusedCredential extends ErrorAnswer {
  readonly reason: string;
  readonly holders: readonly CredentialHolder[];

  constructor({ status, body, headers }: ErrorAnswer, reason: string, holders: readonly CredentialHolder[]) {
    super(status, body, headers);
    this.reason = reason;
    this.holders = holders;
  }
}

export interface FailedConstraint {
  /** Dotted path of the field; empty for the whole body. */
  readonly path: string;
  /** What was sent, shortened; null where nothing was. */
  readonly value: unknown;
  readonly message: string;
}

/** Unknown resources, duplicates, bad identifiers and credentials, and everything without a shape of its own. */
export const applicationError = (
  status: number,
  message: string,
  at: { id: string; now: string },
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer => new ErrorAnswer(status, { id: at.id, message, timestamp: at.now }, headers);

/** Keys that are not project-scoped, missing rights, apps outside the project, plan limits. */
export const frameworkError = (status: number, message: string): ErrorAnswer =>
  new ErrorAnswer(status, { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' });

export const validationError = (errors: readonly FailedConstraint[]): ErrorAnswer =>
  new ErrorAnswer(400, { message: 'Validation failed', errors });

export const answerRejection = (
  { code, details }: Rejection,
  at: { id: string; now: string },
): ErrorAnswer => {
  const { status, shape, message } = rejections[code] as RejectionRow<unknown>;
  return shape === 'framework'
    ? frameworkError(status, message(details))
    : applicationError(status, message(details), at);
};
