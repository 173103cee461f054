import type { ErrorAnswer } from '../http/errorAnswer.js';
import type { JsonSchema } from '../http/route.js';
import { listOf, record, textSchema, timeSchema, uuidSchema } from '../http/schemas.js';

const applicationErrorSchema: JsonSchema = {
  ...record('ApplicationError', { id: uuidSchema, message: textSchema, timestamp: timeSchema }),
  description: 'Unknown resources, duplicates, invalid identifiers, bad credentials. `id` names the request.',
};

const frameworkErrorSchema: JsonSchema = {
  ...record('FrameworkError', {
    statusCode: { type: 'integer' },
    message: textSchema,
    error: { ...textSchema, description: 'Name of the status' },
  }),
  description: 'Keys that are not project-scoped, apps outside the project, plan limits.',
};

const validationErrorSchema: JsonSchema = {
  ...record('ValidationError', {
    message: { type: 'string', const: 'Validation failed' },
    errors: listOf(
      record('FailedConstraint', {
        path: { ...textSchema, description: 'Dotted path of the field; empty for the whole body' },
        value: { description: 'What was sent, shortened; null where nothing was' },
        message: textSchema,
      }),
    ),
  }),
  description: 'One entry for each failed constraint, at most a hundred.',
};

/** The schema of the shape that an error answer has. */
export const errorSchemaOf = ({ body }: ErrorAnswer): JsonSchema => {
  if ('errors' in body) return validationErrorSchema;
  return 'statusCode' in body ? frameworkErrorSchema : applicationErrorSchema;
};
