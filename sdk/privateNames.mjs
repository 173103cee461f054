import ts from 'typescript';

/**
 * Names of members that only the client itself uses, of which a minifier may make shorter ones: what is in doubt is left as it is. Not in
 * doubt are the members of classes and interfaces that no exported type leads to, if nothing else has their names: no text, no member of the
 * platform, no field of a frame. `shared` has shorter names for those that are private wherever they occur: different classes may have the
 * same ones, which compresses better.
 */
export const privateNames = (configFile) => {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(configFile, ts.sys.readFile).config,
    ts.sys,
    ts.sys.resolvePath(`${configFile}/..`),
  );
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => fileNames.includes(fileName));
  const isOurs = (declaration) => files.includes(declaration.getSourceFile());
  const published = publishedDeclarations(
    files.filter(({ fileName }) => spokenOutside.test(fileName)),
    (node) => declarationsAt(checker, node).filter(isOurs),
  );
  const isInternal = (declaration) =>
    isOurs(declaration) && isMember(declaration) && !published.has(declaration);

  const candidates = new Map();
  const others = new Set();
  const look = (node) => {
    if (ts.isStringLiteralLike(node)) others.add(node.text);
    if (ts.isIdentifier(node) && isPropertyName(node)) {
      const declarations = memberDeclarations(checker, node);
      if (declarations.length > 0 && declarations.every(isInternal))
        candidates.set(node.text, [...(candidates.get(node.text) ?? []), ...declarations]);
      else others.add(node.text);
    }
    ts.forEachChild(node, look);
  };
  files.forEach(look);
  const named = [...candidates].filter(([name]) => !others.has(name)).sort();
  return { names: named.map(([name]) => name), shared: sharedNames(named) };
};

/** One letter for each name that is private, the most frequent names first; another one than the same class has already. */
const sharedNames = (named) => {
  const taken = new Map();
  const ofPrivate = named
    .filter(([, declarations]) => declarations.every(isPrivateOfLoneClass))
    .sort(([, one], [, other]) => other.length - one.length);
  return Object.fromEntries(
    ofPrivate.map(([name, declarations]) => {
      const classes = [...new Set(declarations.map(({ parent }) => parent))];
      const letter = letters.find((one) => !classes.some((owner) => taken.get(owner)?.has(one)));
      for (const owner of classes) taken.set(owner, (taken.get(owner) ?? new Set()).add(letter));
      return [name, letter];
    }),
  );
};

/** Those first that are frequent in the rest of the code. */
const letters = [...'etnsiroahlcdumpfgbywvkxjqzABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** A class that extends another one has that one's members too. */
const isPrivateOfLoneClass = (declaration) =>
  isPrivate(declaration) && declaration.parent.heritageClauses?.some(extendsClass) !== true;

const extendsClass = ({ token }) => token === ts.SyntaxKind.ExtendsKeyword;

/** What is exported, what goes over the wire, and what the platform has. */
const spokenOutside = /\/(index|clientFrames|browserSocket|wake)\.ts$/;

const isMember = (node) => ts.isClassElement(node) || ts.isTypeElement(node);

const isHidden = (node) => ts.isBlock(node) || isPrivate(node);

const isPrivate = (node) =>
  ts.isClassElement(node) && (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0;

/** What the declarations of some files say, and all that they name: without bodies and private members. */
const publishedDeclarations = (files, declarationsOf) => {
  const found = new Set();
  const follow = (node) => {
    if (found.has(node) || isHidden(node)) return;
    found.add(node);
    if (ts.isIdentifier(node)) declarationsOf(node).forEach(follow);
    ts.forEachChild(node, follow);
  };
  files.forEach(follow);
  return found;
};

/** Through imports and exports. */
const declarationsAt = (checker, node) => {
  const symbol = checker.getSymbolAtLocation(node);
  if (symbol === undefined) return [];
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return (isAlias ? checker.getAliasedSymbol(symbol) : symbol).declarations ?? [];
};

/** Of a field of an object or of a pattern, those of the type that is wanted there. */
const memberDeclarations = (checker, node) => {
  const { parent } = node;
  const pattern = parent.parent;
  if (ts.isObjectLiteralExpression(pattern)) return inType(checker.getContextualType(pattern), node);
  if (ts.isBindingElement(parent)) return inType(checker.getTypeAtLocation(pattern), node);
  return declarationsAt(checker, node);
};

const inType = (type, { text }) => type?.getProperty(text)?.declarations ?? [];

/** Of an access, of a member, or of a field of an object or of a pattern. */
const isPropertyName = (node) => {
  const { parent } = node;
  if (ts.isBindingElement(parent))
    return ts.isObjectBindingPattern(parent.parent) && node === (parent.propertyName ?? parent.name);
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    ts.isShorthandPropertyAssignment(parent) ||
    isMember(parent)
  );
};
