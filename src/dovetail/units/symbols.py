"""The symbols that are known, and what each is in terms of those before it."""

POWERS_OF_TEN = """
    Q = 30  R = 27  Y = 24  Z = 21  E = 18  P = 15  T = 12  G = 9   M = 6   k = 3   h = 2   da = 1
    q = -30 r = -27 y = -24 z = -21 a = -18 f = -15 p = -12 n = -9  u = -6  m = -3  c = -2  d = -1
"""

WITH_PREFIX = """
    g = 0.001*kg        rev = 6.283185307179586*rad     Hz = rev/s      N = kg.m/s2
    Pa = N/m2           J = N.m         W = J/s         C = A.s         V = W/A
    F = C/V             Ohm = V/A       ohm = Ohm       S = A/V         Wb = V.s
    T = Wb/m2           H = Wb/A        sr = 1          lm = cd         lx = lm/m2
    Bq = 1/s            Gy = J/kg       Sv = J/kg       kat = mol/s     eV = 1.602176634e-19*J
    l = 0.001*m3        L = l           t = 1000*kg     bar = 100000*Pa
    VA = W              var = W         Wh = 3600*J     Ws = J          Ah = 3600*C
    As = C              Vs = Wb         Nm = N.m        cal = 4.184*J
    P = 0.1*Pa.s        St = 0.0001*m2/s
"""

WITHOUT_PREFIX = """
    min = 60*s          h = 60*min      d = 24*h        a = 365.25*d
    deg = rev/360       gon = rev/400   arcmin = deg/60     arcsec = deg/3600
    rpm = rev/min       rps = rev/s     % = 0.01        ppm = 1e-6      ppb = 1e-9
    pu = 1              ha = 10000*m2   in = 0.0254*m   inch = in       ft = 12*in
    yd = 3*ft           mi = 1760*yd    nmi = 1852*m    kn = nmi/h      mph = mi/h
    gn = 9.80665*m/s2   kgf = 9.80665*N                 lb = 0.45359237*kg
    lbm = lb            oz = lb/16      lbf = 4.4482216152605*N         slug = lbf.s2/ft
    psi = lbf/in2       atm = 101325*Pa                 Torr = atm/760
    mmHg = 133.322387415*Pa             hp = 550*ft.lbf/s               PS = 735.49875*W
    Btu = 1055.05585262*J               BTU = Btu       debye = 3.33564095198152e-30*C.m
    degRk = 0.5555555555555556*K
"""

WORDS = """
    sec = s     second = s  minute = min            hr = h      hour = h    day = d     year = a
    amp = A     ampere = A  volt = V    kph = km/h  kmh = km/h  mps = m/s   lpm = l/min
    celsius = degC          cel = degC  degk = K    kelvin = K  fahrenheit = degF
    meter = m   metre = m   foot = ft   feet = ft   mile = mi   pound = lb  gram = g
    newton = N  pascal = Pa joule = J   watt = W    liter = l   litre = l   cc = cm3    ccm = cm3
    degree = deg            degrees = deg           radian = rad            u = rev
"""


def entries(table: str) -> list[tuple[str, str]]:
    """The pairs `symbol = definition` of a table."""
    words = table.split()
    return list(zip(words[::3], words[2::3], strict=True))
