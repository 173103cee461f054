import { expect } from 'chai';
import type { Answer } from './conformance.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The application error shape, exactly. */
export const expectApplicationError = (answer: Answer, status: number, message: string): void => {
  expect({ status: answer.status, message: answer.body?.message }).to.eql({ status, message });
  expect(answer.body).to.have.all.keys('id', 'message', 'timestamp');
  expect(answer.body.id).to.match(uuid);
  expect(answer.body.timestamp).to.match(isoTime);
};

/** The framework error shape, exactly. */
export const expectFrameworkError = (
  answer: Answer,
  statusCode: number,
  message: string,
  error: string,
): void => {
  expect(answer.status).to.equal(statusCode);
  expect(answer.body).to.eql({ statusCode, message, error });
};

/** The validation error shape, exactly, with an entry for each of the failed paths. */
export const expectValidationError = (answer: Answer, ...paths: readonly string[]): void => {
  expect({ status: answer.status, message: answer.body?.message }).to.eql({
    status: 400,
    message: 'Validation failed',
  });
  expect(answer.body).to.have.all.keys('message', 'errors');
  for (const entry of answer.body.errors as object[])
    expect(entry).to.have.all.keys('path', 'value', 'message');
  const failed = (answer.body.errors as { path: string }[]).map(({ path }) => path);
  expect(failed).to.have.members([...paths]);
};

export const expectUuid = (value: unknown): void => void expect(value).to.match(uuid);
export const expectTime = (value: unknown): void => void expect(value).to.match(isoTime);
