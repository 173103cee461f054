import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { apiRoutes, type ApiDeps } from '@roomwire/command-api/commandApi';
import { describeApi } from '@roomwire/command-api/openapi/describeApi';

interface Media {
  readonly schema: object;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly description?: string;
  readonly parameters?: readonly { readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
}

const mapped = <T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

const withoutExamples = (content: Readonly<Record<string, Media>>) =>
  mapped(content, ({ schema }) => ({ schema }));

/** All errors of an operation as one, by the shapes that their bodies have. */
const errorOf = (responses: readonly Response[]) => {
  const schemas = responses.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
  const shapes = schemas.flatMap((schema) => (schema as { readonly anyOf?: object[] }).anyOf ?? schema);
  const different = new Map(shapes.map((shape) => [JSON.stringify(shape), shape]));
  return {
    description: 'An error',
    content: { 'application/json': { schema: { oneOf: [...different.values()] } } },
  };
};

/** Examples, headers and an answer for each status would be nine tenths of the types. */
const shortened = (operation: Operation) => {
  const { parameters = [], requestBody, responses } = operation;
  const done = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const errors = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  return {
    ...operation,
    parameters: parameters.filter((parameter) => parameter.in !== 'header'),
    ...(requestBody && { requestBody: { ...requestBody, content: withoutExamples(requestBody.content) } }),
    responses: {
      ...mapped(Object.fromEntries(done), ({ description, content }) => ({
        ...{ description },
        ...(content && { content: withoutExamples(content) }),
      })),
      default: errorOf(errors.map(([, response]) => response)),
    },
  };
};

/** Not `immutable`: openapi-fetch takes read-only lists for objects. A field with a default may be left out, and an object of any fields has any. */
const options = { defaultNonNullable: false, emptyObjectsUnknown: true };

/** The module that describes the REST API in types, from the description that the service gives. */
export const restTypes = async (): Promise<string> => {
  // Routes are only looked at, never called.
  const described = JSON.stringify(describeApi(apiRoutes({} as ApiDeps)));
  const description = JSON.parse(described) as Description;
  const { schemas } = description.components;
  const paths = mapped(description.paths, (operations) => mapped(operations, shortened));
  const whole = JSON.stringify({ ...description, components: { schemas }, paths });
  return `${COMMENT_HEADER}${astToString(await openapiTS(whole, options))}`;
};
