/** What a status says, in the words of the API's description. */
export const statusDescriptions: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  204: 'Done; the answer is empty',
  400: 'The request is not valid, or a rule of the resource does not allow it',
  401: 'The credential is missing, wrong or of the other kind',
  403: 'The credential, the plan or a setting does not allow it',
  404: 'It does not exist, was deleted, or belongs to somebody else',
  409: 'It stands against something that is there already',
  413: 'The body is too large',
  415: 'The body is not sent as JSON, or is compressed',
  429: 'Too many requests with this key, or in the name of this subject',
  500: 'A fault of the service; nothing is known but the id of the request',
  503: 'The service cannot reach what it needs at the moment',
};
