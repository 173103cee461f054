import { Rejection, rejections, type RejectionCode } from '../handling/rejections.js';
import { credentialMessages } from '../http/authenticate.js';
import {
  applicationError,
  frameworkError,
  validationError,
  type ErrorAnswer,
  answerRejection,
} from '../http/errors.js';
import { failureMessages } from '../http/failures.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { bodyMessages } from '../http/bodyBytes.js';
import { protocolErrorAnswer, protocolErrorSchema, type AnsweredError } from '../http/protocolErrors.js';
import { invalidIdMessage, isIdParameter } from '../http/request.js';
import { tooManyRequestsMessage } from '../http/rateLimit.js';
import { type Route, isWrite, organizationParameter, pathParameterNames, roleNeeded } from '../http/route.js';
import * as s from '../http/schema.js';

/** One way in which a request can fail, with its answer. */
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
    { name: 'address_not_allowed', answer: frameworkError(403, credentialMessages.addressNotAllowed) },
    { name: 'api_key_not_project_scoped', answer: frameworkError(403, credentialMessages.notProjectScoped) },
  ],
  session: [
    application('authorization_missing', 401, credentialMessages.missing),
    application('session_invalid', 401, credentialMessages.badSession),
    application('credential_kind_wrong', 401, credentialMessages.wrongKind),
  ],
  none: [],
};

const bodyInvalid: ErrorCase = {
  name: 'body_invalid',
  answer: validationError([{ path: 'colour', value: 'red', message: 'is not a known field' }]),
};
const notJson = application('body_not_json', 400, bodyMessages.notJson);
const tooLarge = application('body_too_large', 413, bodyMessages.tooLarge);
const wrongEncoding = application('body_encoding_unsupported', 415, bodyMessages.wrongEncoding);

const bodyCases: readonly ErrorCase[] = [
  ...[bodyInvalid, notJson, tooLarge],
  application('change_too_large', 413, failureMessages.tooLarge),
  application('body_type_wrong', 415, bodyMessages.wrongType),
  wrongEncoding,
];

/** Of a body that may be MessagePack, and makes no events. */
const readBodyCases: readonly ErrorCase[] = [
  ...[bodyInvalid, notJson],
  application('body_not_messagepack', 400, bodyMessages.notMessagePack),
  tooLarge,
  application('body_of_neither_type', 415, bodyMessages.neitherType),
  wrongEncoding,
];

const queryCase: ErrorCase = {
  name: 'query_invalid',
  answer: validationError([{ path: 'page', value: 'abc', message: 'must be integer' }]),
};

const outageCases: readonly ErrorCase[] = [
  application('unexpected', 500, failureMessages.unexpected),
  application('unavailable', 503, failureMessages.unavailable),
];

const rejectionCase = (code: RejectionCode): ErrorCase => ({
  name: code,
  answer: answerRejection(new Rejection(code, rejections[code].example), at),
});

const protocolErrorCase = (name: AnsweredError): ErrorCase => ({ name, answer: protocolErrorAnswer(name) });

const pathCases = (path: string): ErrorCase[] =>
  pathParameterNames(path)
    .filter(isIdParameter)
    .map((name) =>
      name === 'actorId'
        ? rejectionCase('actor_id_invalid')
        : application(`${name}_invalid`, 400, invalidIdMessage(name)),
    );

const permissionCases = (route: Route): ErrorCase[] => {
  if (route.access !== 'project') return [];
  return [route.permission, ...(route.furtherPermissions ?? [])].map((permission) => ({
    name: `permission_${permission.replace(':', '_')}_missing`,
    answer: answerRejection(new Rejection('permission_missing', { permission }), at),
  }));
};

/** What a caller may not do who is known. */
const rightsCases = (route: Route): ErrorCase[] => {
  const isSession = route.access === 'session';
  if (route.access === 'none') return [];
  if (isSession && !pathParameterNames(route.path).includes(organizationParameter)) return [];
  const role = roleNeeded(route);
  return [
    ...(isSession ? [rejectionCase('session_revoked')] : []),
    ...(isWrite(route) ? [rejectionCase('organization_suspended')] : []),
    ...(isSession && isWrite(route)
      ? [
          {
            name: `role_${role}_required`,
            answer: answerRejection(new Rejection('role_required', { role }), at),
          },
        ]
      : []),
  ];
};

/** A path or a query that cannot be decoded. */
const requestCase = application('request_invalid', 400, failureMessages.badRequest);

/** Every way in which a request to the route can fail. */
export const errorCasesOf = (route: Route): readonly ErrorCase[] => {
  const { access, path, query, body, readBody, rejections, protocolErrors = [] } = route;
  const ids = pathCases(path);
  return [
    ...credentialCases[access],
    ...(route.hasOwnRate ? [] : [application('rate_limit_exceeded', 429, tooManyRequestsMessage)]),
    ...ids,
    ...permissionCases(route),
    ...rightsCases(route),
    ...(ids.length === 0 && query === undefined ? [] : [requestCase]),
    ...(query === undefined ? [] : [queryCase]),
    ...(body === undefined ? [] : readBody ? readBodyCases : bodyCases),
    ...rejections.map(rejectionCase),
    ...protocolErrors.map(protocolErrorCase),
    ...outageCases,
  ];
};

const applicationErrorSchema = s.described(
  s.titledObject('ApplicationError', { id: s.uuid, message: s.text(), timestamp: s.time }),
  'Unknown resources, duplicates, invalid identifiers, bad credentials. `id` names the request.',
);

const frameworkErrorSchema = s.described(
  s.titledObject('FrameworkError', {
    statusCode: s.integer(),
    message: s.text(),
    error: s.text({ description: 'Name of the status' }),
  }),
  'Keys that are not project-scoped, missing rights, apps outside the project, plan limits.',
);

const failedConstraintSchema = s.titledObject('FailedConstraint', {
  path: s.text({ description: 'Dotted path of the field; empty for the whole body' }),
  value: s.anything({ description: 'The value that was sent, shortened; null where none was' }),
  message: s.text(),
});

const validationErrorSchema = s.described(
  s.titledObject('ValidationError', {
    message: s.only('Validation failed'),
    errors: s.listOf(failedConstraintSchema),
  }),
  'One entry for each failed constraint, at most a hundred.',
);

/** The schema of the shape that an error answer has. */
export const errorSchemaOf = ({ body }: ErrorAnswer): s.JsonSchema => {
  if ('errors' in body) return validationErrorSchema;
  if (!('message' in body)) return protocolErrorSchema;
  return 'statusCode' in body ? frameworkErrorSchema : applicationErrorSchema;
};
