/* What a variable is; build.py writes these into the tables float64_role[] and its sisters. */
enum {
    TIME = 1,         /* the independent variable */
    INPUT = 2,
    OUTPUT = 4,
    EXACT = 8,        /* start value is used as it is: parameters, states */
    TUNABLE = 16,
    STRUCTURAL = 32,
    UNKNOWN = 64,     /* listed among the initial unknowns */
    STATE = 128,
    DERIVATIVE = 256,
    CONTINUOUS_INPUT = 512,
    PARAMETER = 1024
};
