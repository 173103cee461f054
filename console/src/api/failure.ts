/** A constraint that a field of the request does not hold. */
export interface FieldProblem {
  /** Dotted, empty for the whole body. */
  readonly path: string;
  readonly message: string;
}

/** The service refused the request. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** Of HTTP. */
  readonly status: number;
  readonly problems: readonly FieldProblem[];

  constructor(status: number, message: string, problems: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

/** A problem that the page itself finds in a field: nothing was sent. */
export const problemAt = (path: string, message: string): ApiFailure =>
  new ApiFailure(0, 'Nothing was sent', [{ path, message }]);

/** The service did not answer: the network or the service is away. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(options?: ErrorOptions) {
    super('The service does not answer. It may be restarting, or the network is away.', options);
  }
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of an answer of the API; rejects with `ApiFailure` where it is a refusal. */
export const answerOf = async <T>(asked: Promise<Answer<T>>): Promise<T> => {
  const { data, error, response } = await asked;
  if (!response.ok) throw failureOf(response.status, error);
  return data as T;
};

/** Reads the three shapes in which the API refuses. */
export const failureOf = (status: number, body: unknown): ApiFailure => {
  const { message, error, errors, hint } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly message?: unknown;
    readonly error?: unknown;
    readonly hint?: unknown;
    readonly errors?: unknown;
  };
  const text = [message, hint, error].find((given) => typeof given === 'string' && given !== '');
  const problems = Array.isArray(errors) ? errors.filter(isProblem) : [];
  return new ApiFailure(status, typeof text === 'string' ? text : `The service answered ${status}`, problems);
};

const isProblem = (given: unknown): given is FieldProblem =>
  typeof given === 'object' &&
  given !== null &&
  typeof (given as FieldProblem).path === 'string' &&
  typeof (given as FieldProblem).message === 'string';

/** Whether the same request may succeed later, with nothing changed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof ApiFailure && [429, 503].includes(error.status));

export const isMissing = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404;
