import { Refusal, type RefusalCode } from '../handling/refusal.js';
import { credentialMessages } from '../http/authenticate.js';
import { applicationError, frameworkError, validationError, type ErrorAnswer } from '../http/errorAnswer.js';
import { failureMessages } from '../http/errorHandler.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { bodyMessages } from '../http/jsonBody.js';
import { invalidIdMessage } from '../http/pathIds.js';
import { tooManyRequestsMessage } from '../http/rateLimit.js';
import { answerRefusal } from '../http/refusalAnswers.js';
import type { Route } from '../http/route.js';
import { pathParameterNames } from './parameters.js';
import { refusalExamples } from './refusalExamples.js';

/** One way in which a request can fail, with the answer it would get. */
export interface ErrorCase {
  /** Unique in the API: the same name is the same answer. */
  readonly name: string;
  readonly answer: ErrorAnswer;
}

const at = { id: exampleIds.errorId, now: exampleTime };

const application = (name: string, status: number, message: string): ErrorCase => ({
  name,
  answer: applicationError(status, message, at),
});

const credentialCases: { readonly [A in Route['access']]: readonly ErrorCase[] } = {
  project: [
    application('authorization_missing', 401, credentialMessages.missing),
    application('api_key_invalid', 401, credentialMessages.badApiKey),
    application('credential_kind_wrong', 401, credentialMessages.wrongKind),
    { name: 'api_key_not_project_scoped', answer: frameworkError(403, credentialMessages.notProjectScoped) },
  ],
  session: [
    application('authorization_missing', 401, credentialMessages.missing),
    application('session_invalid', 401, credentialMessages.badSession),
    application('credential_kind_wrong', 401, credentialMessages.wrongKind),
  ],
};

const bodyCases: readonly ErrorCase[] = [
  {
    name: 'body_invalid',
    answer: validationError([{ path: 'colour', value: 'red', message: 'is not a known field' }]),
  },
  application('body_not_json', 400, bodyMessages.notJson),
  application('body_too_large', 413, bodyMessages.tooLarge),
  application('change_too_large', 413, failureMessages.tooLarge),
  application('body_type_wrong', 415, bodyMessages.wrongType),
  application('body_encoding_unsupported', 415, bodyMessages.wrongEncoding),
];

const queryCase: ErrorCase = {
  name: 'query_invalid',
  answer: validationError([{ path: 'page', value: 'abc', message: 'must be integer' }]),
};

const outageCases: readonly ErrorCase[] = [
  application('unexpected', 500, failureMessages.unexpected),
  application('unavailable', 503, failureMessages.unavailable),
];

const refusalCase = (code: RefusalCode): ErrorCase => ({
  name: code,
  answer: answerRefusal(new Refusal(code, refusalExamples[code]), at),
});

const pathCases = (path: string): ErrorCase[] =>
  pathParameterNames(path).map((name) =>
    name === 'actorId'
      ? refusalCase('actor_id_invalid')
      : application(`${name}_invalid`, 400, invalidIdMessage(name)),
  );

/** A path or a query that cannot be decoded. */
const requestCase = application('request_invalid', 400, failureMessages.badRequest);

/** Every way in which a request to the route can fail. */
export const errorCasesOf = ({ access, path, query, body, refusals }: Route): readonly ErrorCase[] => {
  const ids = pathCases(path);
  return [
    ...credentialCases[access],
    application('rate_limit_exceeded', 429, tooManyRequestsMessage),
    ...ids,
    ...(ids.length === 0 && query === undefined ? [] : [requestCase]),
    ...(query === undefined ? [] : [queryCase]),
    ...(body === undefined ? [] : bodyCases),
    ...refusals.map(refusalCase),
    ...outageCases,
  ];
};
