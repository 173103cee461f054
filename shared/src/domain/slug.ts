/** One grammar for the slugs of apps and rooms, see `scopeSlugPattern` for scopes: they are segments of topic addresses. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const slugMaxLength = 100;

/** What is left for the rest of a slug that ends in a hyphen and four random hex digits. */
export const slugBaseMaxLength = slugMaxLength - 5;

export const isSlug = (text: string): boolean => text.length <= slugMaxLength && slugPattern.test(text);
