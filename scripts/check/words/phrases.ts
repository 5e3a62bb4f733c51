/** The phrases that our texts avoid, what to write instead, and why. */

export interface Phrase {
  /** The name that findings and exceptions use. */
  readonly phrase: string;
  /** A regular expression. A space in it also matches a line break. */
  readonly form: string;
  readonly better: string;
  readonly because: string;
}

const common = 'readers whose first language is not English know the common word';
const order = 'a sentence begins with its subject, then verb and object';
const plain = 'one plain negation is read at once';
const literal = 'a figure of speech makes the reader guess';

/** What may stand between "there" and "no" in "there is no X". */
const thereIs = '(?<!\\bthere (?:is |are |was |were )?)';

export const phrases: readonly Phrase[] = [
  { phrase: 'whoever', form: 'whoever', better: 'name who acts: the client, the reader, you', because: common },
  { phrase: 'anew', form: 'anew', better: 'again', because: common },
  { phrase: 'shall', form: 'shall', better: 'must, or the present tense', because: common },
  { phrase: 'as ever', form: 'as ever', better: 'as usual, or nothing', because: literal },
  { phrase: 'in mind', form: 'in mind', better: 'say what follows from it', because: literal },
  { phrase: 'becomes of', form: 'be(?:comes?|came) of', better: 'happens to', because: common },
  {
    phrase: 'is no',
    form: `${thereIs}(?:is|are|was|were) no(?= )(?! (?:longer|(?:more|less|fewer|later|earlier|greater|older|larger|smaller|different) than|different from)\\b)`,
    better: 'isn\'t a, has no, or "There is no …"',
    because: plain,
  },
  { phrase: 'has to', form: "(?<!not |n't |never )ha(?:s|ve) to(?= )(?! do with)", better: 'must', because: common },
  {
    phrase: 'beginning state',
    form: 'beginning (?:state|balance|value|status|amount)s?',
    better: 'initial',
    because: common,
  },
  {
    phrase: 'what it comes to',
    form: 'what [^.,;:]{1,40} comes? to',
    better: 'the total, the result',
    because: literal,
  },
  {
    phrase: 'the one for the other',
    form: 'one for the other',
    better: 'confuses them',
    because: literal,
  },
  { phrase: 'all the same', form: 'all the same', better: 'still, anyway', because: common },
  { phrase: 'nothing but', form: 'nothing but', better: 'only', because: plain },
  {
    phrase: 'Of a list, …',
    form: '(?<=^|[.:;*/] )(?-i:Of) (?:an?|the|each|what|all|two|one|these|those)(?= )',
    better: 'start with the subject',
    because: order,
  },
  { phrase: 'and not so', form: 'not so(?=[.,;:])', better: 'false, different', because: plain },
  { phrase: 'is such', form: '(?:is|are) such(?=[.,;:)])', better: 'name the thing again', because: literal },
  { phrase: 'of elsewhere', form: 'of elsewhere', better: 'on another origin', because: literal },
  {
    phrase: 'therein',
    form: '(?:thereof|whence|thereby|therein|lest|nought|naught|hitherto|hereby)',
    better: 'the common word',
    because: common,
  },
  {
    phrase: 'for it',
    form: ', for (?:it|they|nothing|nobody|there|we|you)(?= )(?! to )',
    better: 'because',
    because: common,
  },
  { phrase: 'if need be', form: 'if need be', better: 'if it is missing, if necessary', because: common },
  { phrase: 'which is none', form: 'which is none(?! of)', better: "isn't a …, isn't valid", because: literal },
  {
    phrase: 'that is none',
    form: 'that (?:is|are) none(?! of)',
    better: 'an invalid …, an unknown …',
    because: literal,
  },
  {
    phrase: 'is told',
    form: '(?:is|are|was|were) told(?! (?:apart|to)\\b)',
    better: 'learns, sees, gets; is reported, is shown; differs from',
    because: literal,
  },
  { phrase: 'so many', form: 'so many(?= )(?! \\w+ that)', better: 'the number, or the reason', because: literal },
  {
    phrase: 'comes to',
    form: '(?:comes? to(?= )(?! an end| life)|came to)',
    better: 'is, reaches, exceeds; fails for "comes to nothing"',
    because: literal,
  },
  { phrase: 'when absent', form: 'when absent', better: 'if it is absent', because: order },
  { phrase: 'such a one', form: 'such an? one', better: 'name the thing again', because: literal },
];
