/** One grammar for the slugs of apps and rooms, see `scopeSlugPattern` for scopes: they are segments of topic addresses. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const slugMaxLength = 100;

/** What is left for the rest of a slug that ends in a hyphen and four random hex digits. */
export const slugBaseMaxLength = slugMaxLength - 5;

export const isSlug = (text: string): boolean => text.length <= slugMaxLength && slugPattern.test(text);

/** A slug made from a display name; `fallback` where the name has no letter or digit that a slug may hold. */
export const slugFromName = (name: string, fallback: string): string => {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugBaseMaxLength)
    .replace(/^-|-$/g, '');
  return slug === '' ? fallback : slug;
};
