/** The code stands where browsers send it to nobody. */
export const consoleLink = (baseUrl: string, code: string): string => `${baseUrl}/console#code=${code}`;
